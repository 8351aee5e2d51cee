package sluice.net.transport;

import java.lang.System.Logger.Level;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.server.HandlerReports;
import sluice.memory.AtomicVariable;
import sluice.net.port.InterruptHandler;
import sluice.net.port.InterruptLine;
import sluice.net.stack.Ipv4Stack;
import sluice.sys.threads.ThreadEnds;

/// Runs a stack in its own thread, for programs without a loop. The driver's interrupt unblocks the
/// worker, which drains the device and then enables the next interrupt. The worker owns the stack
/// from the time it is started, and [#close] may be called by any other thread.
public final class PacketWorker implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger("sluice.net");
  private static final long MOST_NANOS = 100_000_000L;
  private static final int IDLE = 0;
  private static final int WORK = 1;

  private final Ipv4Stack stack;
  private final String device;
  private final AtomicVariable work = new AtomicVariable(WORK);
  private final InterruptLine line;
  private final Thread thread;
  private volatile boolean closed;

  /// An interrupt handler that only unblocks the worker.
  private record Unblock(AtomicVariable work) implements InterruptHandler {
    @Override
    public void handleInterrupt() {
      work.setAndUnblock(WORK);
    }
  }

  private PacketWorker(Ipv4Stack stack) {
    this.stack = stack;
    this.device = stack.port().name();
    this.line = new InterruptLine(device, stack.port().descriptor(), MOST_NANOS, new Unblock(work));
    this.thread = Thread.ofPlatform().daemon().name("worker of " + device).unstarted(this::run);
  }

  /// Starts a worker.
  ///
  /// @param stack a stack whose sockets have already been bound; it is closed by the worker
  public static PacketWorker start(Ipv4Stack stack) {
    PacketWorker made = new PacketWorker(stack);
    made.thread.start();
    return made;
  }

  /// Publishes the verdict on the interrupt handler, in the same way as for other handlers.
  public void publishTo(CounterPublisher into) {
    into.gauge(
        "handler interrupts of " + device + "/" + HandlerReports.VERDICT,
        () -> line.verdict().code());
  }

  private void run() {
    try {
      while (!closed) {
        work.blockIfEqual(IDLE);
        boolean _ = Thread.interrupted(); // clears a spurious interrupt
        work.set(IDLE);
        while (!closed && stack.poll() > 0) {
          Thread.onSpinWait();
        }
        stack.tick();
        if (!stack.port().isGone()) {
          line.enable();
        }
      }
    } catch (RuntimeException | Error e) {
      LOGGER.log(Level.ERROR, "the worker of " + stack.port().name() + " has died", e);
    } finally {
      line.close();
      stack.close();
    }
  }

  /// Stops the worker and waits until it has closed the stack. This method is idempotent.
  @Override
  public void close() {
    closed = true;
    work.setAndUnblock(WORK);
    ThreadEnds.join(thread);
  }
}
