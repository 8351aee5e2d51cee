package sluice.net.transport;

import java.lang.System.Logger.Level;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.server.HandlerReports;
import sluice.memory.AtomicVariable;
import sluice.net.port.InterruptHandler;
import sluice.net.port.InterruptLine;
import sluice.net.stack.Ipv4Stack;
import sluice.sys.threads.ThreadEnds;

/// Runs a stack in a thread of its own, where there is no loop: the driver's interrupt unblocks the
/// worker, which drains the device and lets it interrupt again. The worker owns the stack from the
/// start on; [#close] may be called by any other thread.
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

  /// Tells the worker that there is something; no more is done in its thread.
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

  /// @param stack whose sockets are bound already; it is closed by the worker
  public static PacketWorker start(Ipv4Stack stack) {
    PacketWorker made = new PacketWorker(stack);
    made.thread.start();
    return made;
  }

  /// Shows the verdict on the driver's handler, beside those on other handlers.
  public void publishTo(CounterPublisher into) {
    into.gauge(
        "handler interrupts of " + device + "/" + HandlerReports.VERDICT,
        () -> line.verdict().code());
  }

  private void run() {
    try {
      while (!closed) {
        work.blockIfEqual(IDLE);
        boolean _ =
            Thread.interrupted(); // by nothing of ours: it would end each later wait at once
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

  /// Ends the worker and closes the stack; returns when that is done. Idempotent.
  @Override
  public void close() {
    closed = true;
    work.setAndUnblock(WORK);
    ThreadEnds.join(thread);
  }
}
