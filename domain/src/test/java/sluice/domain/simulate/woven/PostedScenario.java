package sluice.domain.simulate.woven;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import sluice.domain.portal.PostedCall;
import sluice.domain.portal.PostedCalls;
import sluice.domain.portal.PostedCalls.Posted;
import sluice.domain.simulate.Scenario;
import sluice.domain.simulate.Simulation;

/// Threads post calls, some of which wait, and give up on some; in some runs the party ends, or
/// takes no more.
public final class PostedScenario implements Scenario {
  private static final int CALLERS = 3;
  private static final int EACH = 4;

  private final List<Call> taken = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private final AtomicInteger running = new AtomicInteger();
  private int most;
  private boolean ends;

  /// For the loader.
  public PostedScenario() {}

  private final class Call extends PostedCall<String> {
    private final boolean waits;
    private final AtomicInteger told = new AtomicInteger();

    Call(boolean waits) {
      this.waits = waits;
    }

    @Override
    protected String perform() {
      int now = running.incrementAndGet();
      if (now > most) {
        wrong.add(now + " run at once");
      }
      if (waits) {
        LockSupport.parkNanos(1);
      }
      int _ = running.decrementAndGet();
      return "done";
    }

    @Override
    protected String failed(Throwable thrown) {
      return "threw " + thrown;
    }

    @Override
    protected String unserved(RuntimeException why) {
      return "unserved";
    }

    @Override
    protected void settled(String known) {
      int _ = told.incrementAndGet();
      if (known.startsWith("threw")) {
        wrong.add(known);
      }
    }
  }

  @Override
  public void begin(Simulation simulation) {
    most = 1 + simulation.below(3);
    SimulatedParty party = new SimulatedParty(simulation, "server");
    PostedCalls calls = new PostedCalls(party, "posted", most, simulation.below(6));
    for (int i = 0; i < CALLERS; i++) {
      simulation.thread("caller " + i, () -> post(simulation, calls)).start();
    }
    int end = simulation.below(3);
    ends = end == 0;
    if (ends) {
      simulation.thread("ends", party::end).start();
    } else if (end == 1) {
      simulation.thread("retires", () -> retire(calls)).start();
    }
  }

  private void post(Simulation simulation, PostedCalls calls) {
    for (int i = 0; i < EACH; i++) {
      Call call = new Call(simulation.below(2) == 0);
      if (calls.post(call) == Posted.TAKEN) {
        taken.add(call);
        if (simulation.below(3) > 0) {
          calls.wake();
        }
        if (simulation.below(4) == 0) {
          boolean _ = call.settleAs("late");
        }
      }
    }
    calls.wake(); // at the end of a turn
  }

  private void retire(PostedCalls calls) {
    try {
      boolean isDone = calls.retire(Long.MAX_VALUE / 2);
      if (!isDone) {
        wrong.add("not retired");
      }
      if (calls.post(new Call(false)) != Posted.RETIRED) {
        wrong.add("takes calls");
      }
    } catch (InterruptedException e) {
      wrong.add("interrupted");
    }
  }

  @Override
  public void check() {
    for (Call call : taken) {
      if (call.told.get() != 1) {
        wrong.add("told " + call.told.get() + " times");
      }
      if (call.isStillRunning()) {
        wrong.add("still runs");
      }
    }
    if (running.get() != 0) {
      wrong.add(running.get() + " calls run");
    }
    if (!wrong.isEmpty()) {
      throw new AssertionError(wrong + (ends ? ", ends" : ""));
    }
  }
}
