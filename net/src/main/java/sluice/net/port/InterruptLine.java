package sluice.net.port;

import sluice.loop.verdict.Judged;
import sluice.loop.verdict.Judges;
import sluice.loop.verdict.Verdict;
import sluice.memory.AtomicVariable;
import sluice.sys.PollFds;
import sluice.sys.threads.ThreadEnds;

/// The interrupt line of one device. A thread waits until a descriptor is readable and then invokes
/// the handler. Interrupts are disabled after each invocation until [#enable] is called, so that a
/// worker is not interrupted while it drains the device. This class is thread-safe.
///
/// ```
///  enable() ─▶ ON ── descriptor is readable, or time is over ─▶ OFF: handleInterrupt() ─▶ worker
///               ▲                                                                          │
///               └────────────────────────── enable() ◀── has drained the device ───────────┘
/// ```
public final class InterruptLine implements AutoCloseable {
  private static final int OFF = 0;
  private static final int ON = 1;

  private final AtomicVariable state = new AtomicVariable(OFF);
  private final int fd;
  private final long mostNanos;
  private final InterruptHandler handler;
  private final Judged judged;
  private final Thread thread;
  private volatile boolean closed;

  /// Starts the thread. Interrupts are initially disabled.
  ///
  /// @param device the name of the device, for messages
  /// @param fd the descriptor to wait for, which the caller must close after this object
  /// @param mostNanos the timeout after which the handler is invoked even without an interrupt,
  ///   which is used for timers
  /// @param handler the handler to invoke
  public InterruptLine(String device, int fd, long mostNanos, InterruptHandler handler) {
    this.fd = fd;
    this.mostNanos = mostNanos;
    this.handler = handler;
    this.judged = Judges.of(handler);
    this.thread = Thread.ofPlatform().daemon().name("interrupts of " + device).start(this::run);
  }

  private void run() {
    try (PollFds polled = PollFds.recycled(1)) {
      while (!closed) {
        state.blockIfEqual(OFF);
        boolean _ = Thread.interrupted(); // clears a spurious interrupt
        if (closed) {
          return;
        }
        polled.set(0, fd, PollFds.POLLIN);
        int _ = polled.poll(1, mostNanos);
        state.set(OFF);
        handler.handleInterrupt();
      }
    }
  }

  /// Returns the verdict on the work of the handler.
  public Verdict verdict() {
    return judged.verdict();
  }

  /// Enables the next interrupt.
  public void enable() {
    state.setAndUnblock(ON);
  }

  /// Stops the thread and waits until it no longer uses the descriptor. This method is idempotent.
  @Override
  public void close() {
    closed = true;
    state.setAndUnblock(ON);
    ThreadEnds.join(thread);
  }
}
