package sluice.loop.server;

import java.lang.System.Logger.Level;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import sluice.loop.Loop;
import sluice.loop.sockets.Log;
import sluice.sys.threads.VirtualThreads;

/// Virtual threads carried by a loop's own thread. Any thread may start them. A message answered by
/// one changes no processor and wakes no other thread. For trusted code: while such a thread
/// computes, or waits inside a native call or a file read, its loop does nothing else.
///
/// A thread that waits (for a lock, a socket, the time) leaves the loop's thread, and the loop goes
/// on. In each turn the loop carries up to [#BATCH] pieces of work. Threads that they start with
/// `Thread.ofVirtual` also run on the loop.
///
/// **When the loop's thread itself waits**, for a lock that a thread it carries must release first,
/// or in whose queue such a thread is ahead of it, the two would deadlock. Therefore, when work is
/// ready and none has been taken for [#STUCK_NANOS], the [Watchdog] has a separate thread carry it;
/// a virtual thread may change its carrier.
///
/// **Without [VirtualThreads#OPTION]** the threads are ordinary virtual threads of the JVM; this is
/// logged once per process.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ready | any thread | concurrent queue | concurrent queue |
/// | submitted | any thread | volatile | compareAndSet |
/// | carried, rescued | carriers | volatile | getAndAdd |
/// | ended | the loop, at its close | volatile | volatile |
/// | seenFirst, seenCarried, stuckSince | watchdog | plain | plain |
///
/// Lifecycle: until the loop has closed; after that a separate thread carries the remaining work.
public final class LoopThreads implements Executor, ThreadFactory {
  /// The number of pieces of work after which the loop serves its sockets again.
  static final int BATCH = 64;

  /// The time for which work may be ready before another thread carries it.
  static final long STUCK_NANOS = 10_000_000;

  private static final AtomicBoolean SAID = new AtomicBoolean();

  private final Loop loop;
  private final boolean carries;
  private final ConcurrentLinkedQueue<Runnable> ready = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean submitted = new AtomicBoolean();
  private final AtomicLong carried = new AtomicLong();
  private final AtomicLong rescued = new AtomicLong();
  private final Runnable turn = this::carryBatch;
  private volatile boolean ended;
  private @Nullable Runnable seenFirst;
  private long seenCarried;
  private long stuckSince;

  /// Creates the threads of a loop. Called before the loop's first turn, or on its thread.
  public LoopThreads(Loop loop) {
    this(loop, VirtualThreads.isAvailable());
  }

  LoopThreads(Loop loop, boolean carries) {
    this.loop = loop;
    this.carries = carries;
    if (carries) {
      loop.onClose(this::loopEnded);
    } else if (SAID.compareAndSet(false, true)) {
      Log.LOGGER.log(
          Level.WARNING,
          () ->
              loop.name()
                  + ": handlers run on the JVM's carriers. Why: this JVM does not let the loop"
                  + " carry virtual threads. Fix: start Java with "
                  + VirtualThreads.OPTION);
    }
  }

  /// Returns true if the loop carries the threads; false if the JVM does.
  public boolean carriedByLoop() {
    return carries;
  }

  /// Returns the number of pieces of work carried by the loop or in its place; 0 if the JVM
  /// carries.
  public long carried() {
    return carried.get();
  }

  /// Returns how many of the carried pieces another thread carried because the loop's thread was
  /// stuck.
  public long rescued() {
    return rescued.get();
  }

  /// Returns an unstarted virtual thread.
  @Override
  public Thread newThread(Runnable task) {
    Thread.Builder.OfVirtual builder =
        carries ? VirtualThreads.on(this::schedule) : Thread.ofVirtual();
    return builder.name("sluice-slow").unstarted(task);
  }

  /// Starts a virtual thread.
  @Override
  public void execute(Runnable task) {
    newThread(task).start();
  }

  /// Schedules a piece of work that is ready. This is the scheduler of the threads.
  private void schedule(Runnable work) {
    ready.add(work);
    if (ended) {
      carryElsewhere();
    } else {
      submit();
    }
  }

  private void submit() {
    if (submitted.compareAndSet(false, true)) {
      loop.execute(turn);
    }
  }

  /// Carries a batch of work. Called on the loop's thread, or on the thread that closes it.
  private void carryBatch() {
    if (ended) {
      carryElsewhere();
      return;
    }
    submitted.set(false); // what becomes ready from here on may be missed below
    for (int i = 0; i < BATCH; i++) {
      Runnable next = ready.poll();
      if (next == null) {
        return;
      }
      carried.incrementAndGet();
      next.run();
    }
    if (!ready.isEmpty()) {
      submit();
    }
  }

  private void loopEnded() {
    ended = true; // work that was added before this is seen by the next line
    if (!ready.isEmpty()) {
      carryElsewhere();
    }
  }

  /// Has ready work carried by another thread if the loop does not get to it. Called on the
  /// watchdog's thread.
  @SuppressWarnings("ReferenceEquality") // the same piece of work
  void rescue() {
    long now = System.nanoTime();
    long count = carried.get();
    Runnable first = ready.peek();
    if (first == null || first != seenFirst || count != seenCarried) {
      seenFirst = first;
      seenCarried = count;
      stuckSince = now;
    } else if (now - stuckSince > STUCK_NANOS) {
      stuckSince = now;
      carryElsewhere();
    }
  }

  private void carryElsewhere() {
    Thread.ofPlatform()
        .daemon()
        .name(loop.name() + " carrier")
        .start(() -> {
          for (Runnable next = ready.poll(); next != null; next = ready.poll()) {
            carried.incrementAndGet();
            rescued.incrementAndGet();
            next.run();
          }
        });
  }
}
