package sluice.loop.turn;

import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import sluice.loop.engine.NanoClock;
import sluice.loop.sockets.Log;

/// The requests of other threads to a loop, which are tasks and the request to stop. Owned by the
/// loop's thread, which runs the tasks. Any thread may add requests.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | asleep | loop; a waker clears it | volatile | volatile |
/// | stopping | any thread | volatile | volatile |
/// | delayed | loop | plain | plain |
public final class LoopTasks implements Executor {
  private final String name;
  private final Runnable waker;
  private final NanoClock clock;
  private final Runnable failed;
  private final Inbox inbox = new Inbox();
  private final DelayedTasks delayed = new DelayedTasks();
  private final Consumer<Runnable> runner = this::run;
  private volatile boolean asleep;
  private volatile boolean stopping;

  /// @param name the name of the loop, for reports
  /// @param waker ends the wait of the loop's engine
  /// @param failed invoked to count a task that has failed
  public LoopTasks(String name, Runnable waker, NanoClock clock, Runnable failed) {
    this.name = name;
    this.waker = waker;
    this.clock = clock;
    this.failed = failed;
  }

  // ---- for any thread -----------------------------------------------------------------------

  /// Executes a task on the loop's thread, after all tasks submitted before. The loop is woken only
  /// if it is asleep.
  @Override
  public void execute(Runnable task) {
    inbox.add(task);
    wake();
  }

  public void wake() {
    if (asleep) {
      asleep = false;
      waker.run();
    }
  }

  /// Requests the loop to terminate after the current turn.
  public void stop() {
    stopping = true;
    execute(() -> {});
  }

  public boolean stopping() {
    return stopping;
  }

  /// Returns true if the loop is waiting for its engine. The result is only a hint, because the
  /// wait may already have ended.
  public boolean asleep() {
    return asleep;
  }

  // ---- for the loop's thread ----------------------------------------------------------------

  /// Schedules a task to run after the given delay. The accuracy is one turn.
  public void schedule(long delayNanos, Runnable task) {
    delayed.add(clock.nanos() + delayNanos, task);
  }

  /// Announces that the loop is about to wait. From now on, adding a task wakes it.
  ///
  /// @return false if there already is a task
  public boolean sleep() {
    asleep = true;
    if (inbox.isEmpty()) {
      return true;
    }
    asleep = false;
    return false;
  }

  /// Announces that the wait has ended. From now on, adding a task does not have to wake the loop.
  public void awake() {
    if (asleep) {
      asleep = false;
    }
  }

  /// Runs the tasks that were added before the call.
  public void runAdded() {
    inbox.runAll(runner);
  }

  /// Runs the delayed tasks whose delay has expired.
  public void runDue(long now) {
    delayed.runDue(now, runner);
  }

  /// Returns the time until the next delayed task.
  ///
  /// @return the time in nanoseconds, at least 1, or a negative value if there is no task
  public long untilNext(long now) {
    return delayed.untilNext(now);
  }

  /// Runs a task. A failure is counted and logged.
  public void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      failed.run();
      Log.LOGGER.log(Level.ERROR, () -> name + ": a task failed", e);
    }
  }
}
