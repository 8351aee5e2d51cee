package sluice.domain.simulate.woven;

import java.util.ArrayList;
import java.util.List;
import sluice.domain.portal.Party;
import sluice.domain.simulate.Simulation;

/// A party whose threads are those of a simulation.
final class SimulatedParty implements Party {
  private final Simulation simulation;
  private final String name;
  private final List<Runnable> tasks = new ArrayList<>();
  private volatile boolean ended;

  SimulatedParty(Simulation simulation, String name) {
    this.simulation = simulation;
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public ClassLoader loader() {
    return SimulatedParty.class.getClassLoader();
  }

  @Override
  public boolean alive() {
    return !ended;
  }

  @Override
  public void onEnd(Runnable task) {
    synchronized (tasks) {
      if (!ended) {
        tasks.add(task);
        return;
      }
    }
    task.run();
  }

  @Override
  public Thread serviceThread(String threadName, Runnable task) {
    return simulation.thread(threadName, task);
  }

  @Override
  public void aside(Runnable task) {
    simulation.thread("aside of " + name, task).start();
  }

  void end() {
    List<Runnable> last;
    synchronized (tasks) {
      ended = true;
      last = List.copyOf(tasks);
      tasks.clear();
    }
    last.forEach(Runnable::run);
  }
}
