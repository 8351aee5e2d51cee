package sluice.net.port;

import sluice.loop.verdict.Judged;
import sluice.loop.verdict.Judges;
import sluice.loop.verdict.Verdict;
import sluice.memory.AtomicVariable;
import sluice.sys.PollFds;
import sluice.sys.threads.ThreadEnds;

/// The interrupts of one device: a thread that waits for its descriptor and calls the handler.
/// After each interrupt they are off until [#enable], so that a worker which drains the device is
/// not interrupted. Any thread may call.
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

  /// Begins with interrupts off.
  ///
  /// @param fd stays the caller's, and is closed after this
  /// @param mostNanos after which the handler is called although there is nothing, for timers
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
        boolean _ =
            Thread.interrupted(); // by nothing of ours: it would end each later wait at once
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

  /// What is known of the handler's work.
  public Verdict verdict() {
    return judged.verdict();
  }

  /// Lets the device interrupt once more.
  public void enable() {
    state.setAndUnblock(ON);
  }

  /// Waits until the thread uses the descriptor no more. Idempotent.
  @Override
  public void close() {
    closed = true;
    state.setAndUnblock(ON);
    ThreadEnds.join(thread);
  }
}
