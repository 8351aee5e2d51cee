package sluice.bench.kernel;

import java.util.ArrayDeque;
import sluice.domain.schedule.Cpu;
import sluice.domain.schedule.ScheduledThread;
import sluice.domain.schedule.Scheduler;

/// A scheduler of a domain that runs threads in the order in which they become ready. It is not
/// informed of calls.
public class RoundRobin implements Scheduler {
  final ArrayDeque<ScheduledThread> ready = new ArrayDeque<>();

  @Override
  public void activated(Cpu cpu) {
    for (ScheduledThread each = cpu.woken(); each != null; each = cpu.woken()) {
      ready.add(each);
    }
    ScheduledThread next = ready.poll();
    if (next != null) {
      cpu.switchTo(next);
    }
  }
}
