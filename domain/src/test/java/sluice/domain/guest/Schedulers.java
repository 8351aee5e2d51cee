package sluice.domain.guest;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;
import sluice.domain.schedule.CallListener;
import sluice.domain.schedule.Cpu;
import sluice.domain.schedule.PreemptionListener;
import sluice.domain.schedule.ScheduledThread;
import sluice.domain.schedule.Scheduler;
import sluice.domain.schedule.SliceListener;

/// Schedulers that domains bring. Loaded in domains.
public final class Schedulers {
  /// The notifications of the schedulers and the actions of the threads, in order.
  public static final List<String> EVENTS = Collections.synchronizedList(new ArrayList<>());

  private Schedulers() {}

  /// Chooses threads in the order in which they became ready.
  public static class RoundRobin implements Scheduler {
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

  /// Chooses the thread whose name is first in alphabetical order.
  public static final class ByName implements Scheduler {
    private final PriorityQueue<ScheduledThread> ready =
        new PriorityQueue<>(Comparator.comparing(ScheduledThread::name));

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

  public static final class Slices extends RoundRobin implements SliceListener {
    @Override
    public long sliceNanos() {
      return 1_000_000;
    }

    @Override
    public void interrupted(Cpu cpu) {
      EVENTS.add("interrupted");
      activated(cpu);
    }
  }

  public static final class Calls extends RoundRobin implements CallListener {
    @Override
    public void calling(ScheduledThread caller) {
      EVENTS.add("calling " + caller.name());
    }

    @Override
    public void called(ScheduledThread service) {
      EVENTS.add("called");
      ready.addFirst(service);
    }
  }

  /// Keeps the stopped threads in a ring without allocating, so that a verifier can find a bound.
  public static final class Preempted implements PreemptionListener {
    private final ScheduledThread[] ring = new ScheduledThread[64];
    private int count;
    private int first;

    @Override
    public void preempted(ScheduledThread thread) {
      if (count < 64) {
        ring[(first + count) & 63] = thread;
        count++;
      }
    }

    @Override
    public void activated(Cpu cpu) {
      for (ScheduledThread each = cpu.woken(); each != null; each = cpu.woken()) {
        cpu.switchTo(each);
      }
      while (count > 0) {
        EVENTS.add("preempted");
        cpu.switchTo(ring[first]);
        first = (first + 1) & 63;
        count--;
      }
    }
  }

  public static final class Unbounded implements PreemptionListener {
    @Override
    public void preempted(ScheduledThread thread) {
      while (!thread.isReady()) {
        Thread.onSpinWait();
      }
    }

    @Override
    public void activated(Cpu cpu) {}
  }

  public static final class Throwing implements Scheduler {
    @Override
    public void activated(Cpu cpu) {
      throw new IllegalStateException("no idea");
    }
  }

  public static final class Looping implements Scheduler {
    @Override
    public void activated(Cpu cpu) {
      while (true) {
        Thread.onSpinWait();
      }
    }
  }

  public static final class Forgetting implements Scheduler {
    @Override
    public void activated(Cpu cpu) {
      while (cpu.woken() != null) {
        EVENTS.add("forgotten");
      }
    }
  }

  /// Chooses a thread twice.
  public static final class Twice implements Scheduler {
    @Override
    public void activated(Cpu cpu) {
      ScheduledThread next = cpu.woken();
      if (next != null) {
        cpu.switchTo(next);
        cpu.switchTo(next);
      }
    }
  }

  /// Records its name three times and yields in between.
  @SuppressWarnings("ThreadPriorityCheck") // so that others run
  public static final class Turns implements Runnable {
    @Override
    public void run() {
      for (int i = 0; i < 3; i++) {
        EVENTS.add(Thread.currentThread().getName());
        Thread.yield();
      }
    }
  }

  /// Counts forever.
  public static final class Spins implements Runnable {
    public static final AtomicLong COUNT = new AtomicLong();

    @Override
    public void run() {
      while (true) {
        COUNT.incrementAndGet();
      }
    }
  }
}
