package sluice.domain.carrier;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import sluice.domain.schedule.CallListener;
import sluice.domain.schedule.Cpu;
import sluice.domain.schedule.PreemptionListener;
import sluice.domain.schedule.ScheduledThread;
import sluice.domain.schedule.Scheduler;
import sluice.domain.schedule.SliceListener;

/// Chooses threads by their names, or in the order in which they became ready. Woven.
class Choosing implements Scheduler {
  private final List<ScheduledThread> ready = new ArrayList<>();
  private final boolean byName;

  Choosing(boolean byName) {
    this.byName = byName;
  }

  final void add(ScheduledThread thread) {
    ready.add(thread);
  }

  @Override
  public void activated(Cpu cpu) {
    for (ScheduledThread each = cpu.woken(); each != null; each = cpu.woken()) {
      ready.add(each);
    }
    if (!ready.isEmpty()) {
      if (byName) {
        ready.sort(Comparator.comparing(ScheduledThread::name));
      }
      cpu.switchTo(ready.removeFirst());
    }
  }

  /// Is told of threads that gates have stopped.
  static final class Stopped extends Choosing implements PreemptionListener {
    Stopped() {
      super(false);
    }

    @Override
    public void preempted(ScheduledThread thread) {
      add(thread);
    }
  }

  /// Is told of calls.
  static final class Called extends Choosing implements CallListener {
    Called() {
      super(false);
    }

    @Override
    public void calling(ScheduledThread caller) {}

    @Override
    public void called(ScheduledThread service) {
      add(service);
    }
  }

  /// Has threads stopped.
  static final class Sliced extends Choosing implements SliceListener {
    Sliced() {
      super(false);
    }

    @Override
    public long sliceNanos() {
      return 300_000;
    }

    @Override
    public void interrupted(Cpu cpu) {
      activated(cpu);
    }
  }
}
