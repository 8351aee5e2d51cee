package sluice.http;

import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimScheduler;

/// The slow path of a simulation: tasks that take simulated time, so that requests come and files
/// change in the middle of them. Owned by the thread that runs the simulation; each task has a
/// thread, but only one thread at a time runs.
final class SimSlowPath implements Executor {
  private static final int MAX_DELAY_NANOS = 500_000;
  private static final int PAUSE_PER_MILLE = 120;

  private final SimScheduler scheduler;
  private final SimRandom random;
  private @Nullable Strand running;

  private static final class Strand {
    final Semaphore go = new Semaphore(0);
    final Semaphore back = new Semaphore(0);
    @Nullable Thread thread;
  }

  SimSlowPath(SimScheduler scheduler, SimRandom random) {
    this.scheduler = scheduler;
    this.random = random;
  }

  @Override
  public void execute(Runnable task) {
    Strand strand = new Strand();
    scheduler.after(
        random.skewed(MAX_DELAY_NANOS),
        () -> {
          Thread thread = new Thread(() -> run(strand, task));
          thread.setDaemon(true);
          strand.thread = thread;
          await(strand, thread::start);
        });
  }

  private static void run(Strand strand, Runnable task) {
    try {
      task.run();
    } finally {
      strand.back.release();
    }
  }

  /// Lets a strand run until it waits or has ended. That it runs is noted before: otherwise the
  /// machine, and not the seed, would decide whether its first moments count.
  private void await(Strand strand, Runnable wake) {
    running = strand;
    wake.run();
    strand.back.acquireUninterruptibly();
    running = null;
  }

  /// A moment at which a task may have to wait. Does nothing when no task calls.
  void moment() {
    Strand strand = running;
    if (strand == null
        || Thread.currentThread() != strand.thread
        || !random.chance(PAUSE_PER_MILLE)) {
      return;
    }
    scheduler.after(random.skewed(MAX_DELAY_NANOS), () -> await(strand, strand.go::release));
    strand.back.release();
    strand.go.acquireUninterruptibly();
  }
}
