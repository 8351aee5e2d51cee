package sluice.domain.simulate.woven;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.domain.simulate.Scenario;
import sluice.domain.simulate.Simulation;

/// Has a fault: the waiter looks at the value before it names itself, and parks without looking
/// again.
public final class LosingScenario implements Scenario {
  private boolean isSet;
  private boolean isSeen;
  private @Nullable Thread waiter;

  /// For the loader.
  public LosingScenario() {}

  @Override
  public void begin(Simulation simulation) {
    simulation.thread("waits", this::await).start();
    simulation.thread("sets", this::set).start();
  }

  private void await() {
    if (!isSet) {
      waiter = Thread.currentThread();
      LockSupport.park();
    }
    isSeen = true;
  }

  private void set() {
    isSet = true;
    Thread waiting = waiter;
    if (waiting != null) {
      LockSupport.unpark(waiting);
    }
  }

  @Override
  public void check() {
    if (!isSeen) {
      throw new AssertionError("a wake-up was lost");
    }
  }
}
