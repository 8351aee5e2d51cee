package sluice.net.port;

import sluice.loop.verdict.Judged;
import sluice.loop.verdict.Judges;
import sluice.loop.verdict.Verdict;
import sluice.memory.AtomicVariable;
import sluice.sys.PollFds;
import sluice.sys.threads.ThreadEnds;

/// The interrupts of one device: a thread that waits for a descriptor and calls the handler.
/// Interrupts are off after each call until [#enable], so that a worker that drains the device is
/// not interrupted. Thread-safe.
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

  /// Starts the thread with interrupts off.
  ///
  /// @param device the name of the device, for messages
  /// @param fd the descriptor to wait for; the caller closes it after this object
  /// @param mostNanos the time after which the handler is called even without an interrupt, for
  ///   timers
  /// @param handler the handler
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
        boolean _ = Thread.interrupted(); // clears a stray interrupt, which would end every wait
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

  /// Returns the verdict on the handler's work.
  public Verdict verdict() {
    return judged.verdict();
  }

  /// Allows the next interrupt.
  public void enable() {
    state.setAndUnblock(ON);
  }

  /// Ends the thread, and waits until it does not use the descriptor any more. Idempotent.
  @Override
  public void close() {
    closed = true;
    state.setAndUnblock(ON);
    ThreadEnds.join(thread);
  }
}
