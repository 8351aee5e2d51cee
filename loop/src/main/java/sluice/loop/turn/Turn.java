package sluice.loop.turn;

import java.util.ArrayList;
import java.util.List;
import sluice.loop.engine.NanoClock;
import sluice.loop.engine.TurnClock;

/// What the parts of a loop know in common of the turn under way: its time, whether its input is
/// being handled, whether it may wait, and whether the loop drains. Owned by the loop's thread.
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

  /// Sends begin to be staged: so far nothing keeps the turn from waiting.
  public void beginSends() {
    waitless = false;
  }

  /// Something can go on as soon as the sends are submitted: the turn must not wait for anything
  /// else.
  public void settleSoon() {
    waitless = true;
  }

  public boolean mustNotWait() {
    return waitless;
  }

  /// What the engine tells from now on belongs to the next batch of input.
  public void beginWait() {
    batchOpen = false;
    timed = false;
  }

  /// Once in a turn, when its wait is over. A deadline that is set in a turn is counted from there,
  /// so neither the time that the loop has slept nor what it works in this turn is taken from it.
  public void lookAtClock() {
    if (!timed) {
      timed = true;
      now = clock.nanos();
    }
  }

  /// As [sluice.loop.Loop#beforeBatch].
  public void beforeBatch(Runnable hook) {
    batchHooks.add(hook);
  }

  /// Input is about to be handled.
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

  /// The loop ends when what is under way has finished.
  public void drain() {
    draining = true;
  }
}
