package sluice.domain.carrier;

import java.util.ArrayList;
import java.util.List;
import sluice.domain.simulate.Scenario;
import sluice.domain.simulate.Simulation;

/// A worker puts continuations of two queues into its slot and takes some back, while the watcher
/// takes others: each is taken once, as one of its own queue. Woven.
public final class SlotScenario implements Scenario {
  private static final int PUTS = 6;

  private final Slot<Integer> slot = new Slot<>(-1);
  private final List<Runnable> tasks = new ArrayList<>();
  private final List<Runnable> taken = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();

  /// For the loader.
  public SlotScenario() {}

  private static final class Task implements Runnable {
    private final int queue;

    Task(int queue) {
      this.queue = queue;
    }

    @Override
    public void run() {}
  }

  @Override
  public void begin(Simulation simulation) {
    simulation.thread("worker", () -> put(simulation)).start();
    simulation
        .thread(
            "watcher",
            () -> {
              for (int i = 0; i < 2 * PUTS; i++) {
                take();
              }
            })
        .start();
  }

  private void put(Simulation random) {
    for (int i = 0; i < PUTS; i++) {
      Task task = new Task(random.below(2));
      if (slot.put(task.queue, task)) {
        tasks.add(task);
      }
      if (random.oneIn(3)) {
        take();
      }
    }
  }

  private void take() {
    Runnable task = slot.take();
    if (task != null) {
      int queue = slot.taken();
      taken.add(task);
      if (((Task) task).queue != queue) {
        wrong.add("one of queue " + ((Task) task).queue + " was taken as one of " + queue);
      }
    }
  }

  @Override
  public void check() {
    take();
    if (!taken.containsAll(tasks) || taken.size() != tasks.size()) {
      wrong.add(tasks.size() + " were put, " + taken.size() + " were taken");
    }
    if (!slot.isEmpty()) {
      wrong.add("the slot is not empty");
    }
    if (!wrong.isEmpty()) {
      throw new AssertionError(wrong.toString());
    }
  }
}
