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

/// Virtual threads that are carried by a loop's own thread. Any thread may start them. A message
/// answered by such a thread does not move to another processor and wakes no other thread. They are
/// intended for trusted code: while such a thread computes, or blocks in a native call or a file
/// read, its loop does nothing else.
///
/// A thread that waits (for a lock, a socket or a time) is unmounted from the loop's thread, and
/// the loop continues. In each turn the loop carries up to [#BATCH] tasks. Threads that these
/// threads start with `Thread.ofVirtual` also run on the loop.
///
/// **Deadlocks.** The loop's thread may itself wait for a lock that must first be released by a
/// thread it carries, or in whose queue such a thread is ahead of it. The two would then deadlock.
/// Therefore, if tasks are ready and none has been started for [#STUCK_NANOS], the [Watchdog] has a
/// separate thread carry them. This is possible because a virtual thread may change its carrier.
///
/// **Without [VirtualThreads#OPTION]** the threads are ordinary virtual threads of the JVM. This is
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
/// The threads can be used until the loop has closed. After that, a separate thread carries the
/// remaining tasks.
public final class LoopThreads implements Executor, ThreadFactory {
  /// The number of tasks after which the loop serves its sockets again.
  static final int BATCH = 64;

  /// The time for which a task may be ready before another thread carries it.
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

  /// Creates the threads of a loop. Must be called before the loop's first turn or on its thread.
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

  /// Returns true if the loop carries the threads, or false if the JVM does.
  public boolean carriedByLoop() {
    return carries;
  }

  /// Returns the number of tasks carried by the loop or on its behalf, or 0 if the JVM carries the
  /// threads.
  public long carried() {
    return carried.get();
  }

  /// Returns the number of tasks that were carried by another thread because the loop's thread was
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

  /// Schedules a task that is ready to run. This is the scheduler of the virtual threads.
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

  /// Carries a batch of tasks. Called on the loop's thread, or on the thread that closes it.
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

  /// Has ready tasks carried by another thread if the loop does not run them. Called on the
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
