package sluice.domain.simulate.woven;

import sluice.domain.portal.PlainParty;
import sluice.domain.portal.copy.CopyQuota;
import sluice.domain.simulate.Simulation;

/// A party whose threads are those of a simulation.
final class SimulatedParty extends PlainParty {
  private final Simulation simulation;

  SimulatedParty(Simulation simulation, String name) {
    super(name, SimulatedParty.class.getClassLoader(), CopyQuota.STANDARD);
    this.simulation = simulation;
  }

  @Override
  public Thread serviceThread(String threadName, Runnable task) {
    return simulation.thread(threadName, task);
  }

  @Override
  public void aside(Runnable task) {
    simulation.thread("aside of " + name(), task).start();
  }
}
