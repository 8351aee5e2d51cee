package sluice.loop.turn;

import java.util.ArrayList;
import java.util.List;
import sluice.loop.engine.NanoClock;
import sluice.loop.engine.TurnClock;

/// The state of the current turn that is shared by the parts of a loop. It consists of the turn's
/// time, and indicates if its input is being handled, if it may wait, and if the loop is draining.
/// Owned by the loop's thread.
public final class Turn implements TurnClock {
  private final NanoClock clock;
  private final LoopTasks tasks;
  private final List<Runnable> batchHooks = new ArrayList<>();
  private long now;
  private boolean timed;
  private boolean batchOpen;
  private boolean waitless;
  private boolean draining;

  public Turn(NanoClock clock, LoopTasks tasks) {
    this.clock = clock;
    this.tasks = tasks;
    this.now = clock.nanos();
  }

  @Override
  public long nanos() {
    return clock.nanos();
  }

  @Override
  public long now() {
    return now;
  }

  /// Begins the staging of sends. At this point, no send prevents the turn from waiting.
  public void beginSends() {
    waitless = false;
  }

  /// Prevents the turn from waiting, because work can continue as soon as the sends have been
  /// submitted.
  public void settleSoon() {
    waitless = true;
  }

  public boolean mustNotWait() {
    return waitless;
  }

  /// Begins the wait. Completions from now on belong to the next batch of input.
  public void beginWait() {
    batchOpen = false;
    timed = false;
  }

  /// Reads the clock once per turn, when its wait has ended. Deadlines set in a turn are relative
  /// to this time, so they include neither the time that the loop has slept nor its work in this
  /// turn.
  public void lookAtClock() {
    if (!timed) {
      timed = true;
      now = clock.nanos();
    }
  }

  /// Implements [sluice.loop.Loop#beforeBatch].
  public void beforeBatch(Runnable hook) {
    batchHooks.add(hook);
  }

  /// Runs the hooks before the first input of the turn is handled.
  public void openBatch() {
    if (!batchOpen) {
      batchOpen = true;
      tasks.awake();
      for (int i = 0; i < batchHooks.size(); i++) {
        batchHooks.get(i).run();
      }
    }
  }

  public boolean draining() {
    return draining;
  }

  /// Starts draining. The loop stops when the requests in progress have completed.
  public void drain() {
    draining = true;
  }
}
