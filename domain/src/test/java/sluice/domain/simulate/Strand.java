package sluice.domain.simulate;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// A virtual thread of woven code, as the JDK's: its scheduler gets it as a continuation each time
/// it is ready. A [SimulatedThread] of its own runs its code while its carrier waits.
final class Strand implements Runnable {
  private enum State {
    NEW,
    READY,
    RUNNING,
    PARKING,
    PARKED,
    PINNED,
    YIELDING,
    ENDED
  }

  private final Simulation simulation;
  private final SimulatedThread own;
  private final Executor scheduler;
  private final int number;
  private State state = State.NEW;
  private @Nullable SimulatedThread carrier;
  private boolean hasBegun;
  private boolean isBack;
  private boolean permit;
  private int pins;
  private long usedNanos;
  private Simulation.@Nullable Timer timer;

  Strand(Simulation simulation, String name, int number, Executor scheduler, Runnable task) {
    this.simulation = simulation;
    this.scheduler = scheduler;
    this.number = number;
    own =
        new SimulatedThread(
            simulation,
            name,
            null,
            () -> {
              try {
                task.run();
              } finally {
                leave(State.ENDED);
              }
            });
    own.carries(this);
  }

  SimulatedThread own() {
    return own;
  }

  @Nullable SimulatedThread carrier() {
    return carrier;
  }

  void use(long nanos) {
    usedNanos += nanos;
  }

  long usedNanos() {
    return usedNanos;
  }

  void start() {
    submit();
  }

  private void submit() {
    state = State.READY;
    simulation.observer().ready(own.thread());
    scheduler.execute(this);
  }

  /// As a carrier does: runs it until it waits, yields or ends.
  @Override
  public void run() {
    SimulatedThread here = simulation.running();
    if (state != State.READY || carrier != null) {
      throw new AssertionError(own.thread().getName() + " is run while it is " + state);
    }
    state = State.RUNNING;
    carrier = here;
    simulation.observer().begins(own.thread(), here.identity());
    isBack = false;
    if (hasBegun) {
      own.resume();
    } else {
      hasBegun = true;
      own.thread().start();
    }
    while (!isBack) {
      here.block();
    }
    carrier = null;
    simulation.observer().comesBack(own.thread(), here.identity());
    Simulation.point();
    if (state == State.YIELDING) {
      submit();
    } else if (state == State.PARKING) {
      state = State.PARKED;
      Simulation.point();
      if (permit && state == State.PARKED) {
        submit();
      }
    }
  }

  private void leave(State why) {
    state = why;
    isBack = true;
    SimulatedThread last = carrier;
    if (last == null) {
      throw new IllegalStateException(own.thread().getName() + " runs without a carrier");
    }
    last.resume();
  }

  /// Called on the strand.
  void giveUp() {
    if (pins == 0) {
      leave(State.YIELDING);
      own.block();
    }
  }

  /// Called on the strand.
  ///
  /// @param nanos at most, or negative for no bound
  void park(long nanos) {
    if (!permit && nanos != 0) {
      if (pins > 0) {
        state = State.PINNED;
        own.park(nanos);
        state = State.RUNNING;
      } else {
        if (nanos > 0) {
          timer = simulation.after(nanos, this::late);
        }
        leave(State.PARKING);
        own.block();
        Simulation.Timer last = timer;
        if (last != null) {
          last.cancel();
        }
      }
    }
    permit = false;
  }

  /// By a thread of the JDK, which a timer starts.
  private void late() {
    simulation.thread("timer", this::unpark).start();
  }

  void unpark() {
    boolean had = permit;
    permit = true;
    if (!had && state == State.PARKED) {
      submit();
    } else if (state == State.PINNED) {
      own.unpark();
    }
  }

  void pinned(Runnable task) {
    pins++;
    try {
      task.run();
    } finally {
      pins--;
    }
  }

  @Override
  public String toString() {
    return state + (permit ? " with a permit" : "");
  }

  @Override
  public int hashCode() {
    return number; // the same in each run
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }
}
