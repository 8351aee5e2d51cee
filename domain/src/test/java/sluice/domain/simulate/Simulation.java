package sluice.domain.simulate;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.VirtualThreads;

/// Virtual threads that one platform thread runs, one at a time, in an order that a seed gives: the
/// same seed is the same run. Woven code ([WovenLoader]) calls the static methods, where a thread
/// may be changed for another; monitors and the clock are simulated too.
public final class Simulation {
  /// A run that takes more steps hangs.
  private static final int MOST_STEPS = 200_000;

  /// Of so many points, one changes the thread.
  private static final int CHANGES = 3;

  private static final int WAIT_STEPS = 200;

  private static @Nullable Simulation current;

  private static final class Monitor {
    private @Nullable Thread owner;
    private int depth;
    private int notified;
  }

  private final SplittableRandom random;
  private final List<Runnable> ready = new ArrayList<>();
  private final IdentityHashMap<Object, Monitor> monitors = new IdentityHashMap<>();
  private final List<Throwable> problems = new ArrayList<>();
  private final List<Thread> all = new ArrayList<>();
  private int steps;
  private int quiet;

  Simulation(long seed) {
    random = new SplittableRandom(seed);
  }

  /// Makes a thread of the simulation.
  public Thread thread(String name, Runnable task) {
    Thread made =
        VirtualThreads.on(ready::add)
            .name(name)
            .inheritInheritableThreadLocals(false)
            .unstarted(() -> {
              try {
                task.run();
              } catch (Throwable e) { // told by the seed's run
                problems.add(e);
              }
            });
    all.add(made);
    return made;
  }

  /// Returns a number below another.
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /// Runs all threads until none is ready.
  ///
  /// @throws AssertionError if one has failed, or that does not end
  void run() {
    current = this;
    try {
      while (!ready.isEmpty()) {
        if (++steps > MOST_STEPS) {
          throw new AssertionError("no end after " + steps + " steps: " + living());
        }
        Runnable last = ready.removeLast();
        int place = random.nextInt(ready.size() + 1);
        Runnable next = place == ready.size() ? last : ready.set(place, last);
        next.run();
      }
    } finally {
      current = null;
    }
    if (!problems.isEmpty()) {
      throw new AssertionError("a thread has failed", problems.getFirst());
    }
  }

  /// Returns the threads that have begun and not ended.
  public List<String> living() {
    return all.stream()
        .filter(Thread::isAlive)
        .map(each -> each.getName() + " " + each.getState())
        .toList();
  }

  private static Simulation now() {
    Simulation simulation = current;
    if (simulation == null) {
      throw new IllegalStateException("outside of a simulation");
    }
    return simulation;
  }

  // ---- called by woven code -----------------------------------------------------------------

  /// A place where the thread may be changed.
  @SuppressWarnings("ThreadPriorityCheck") // it is the scheduler's
  public static void point() {
    Simulation simulation = current;
    if (simulation != null
        && Thread.currentThread().isVirtual()
        && simulation.quiet == 0
        && simulation.random.nextInt(CHANGES) == 0) {
      Thread.yield();
    }
  }

  /// Instead of the JVM's: a thread that waits for it is ready all the time.
  @SuppressWarnings("ThreadPriorityCheck") // it is the scheduler's
  public static void enter(Object object) {
    Simulation simulation = current;
    if (simulation == null || !Thread.currentThread().isVirtual()) {
      return; // before or after the run, by its thread alone
    }
    Monitor monitor = simulation.monitors.computeIfAbsent(object, _ -> new Monitor());
    while (monitor.owner != null && monitor.owner != Thread.currentThread()) {
      Thread.yield();
    }
    monitor.owner = Thread.currentThread();
    monitor.depth++;
    point();
  }

  /// Instead of the JVM's.
  public static void exit(Object object) {
    Simulation simulation = current;
    if (simulation == null || !Thread.currentThread().isVirtual()) {
      return;
    }
    Monitor monitor = simulation.monitors.get(object);
    if (monitor == null || monitor.owner != Thread.currentThread()) {
      throw new IllegalMonitorStateException();
    }
    if (--monitor.depth == 0) {
      monitor.owner = null;
      point();
    }
  }

  /// Instead of `Object.notifyAll`.
  public static void notifyAll(Object object) {
    Simulation simulation = current;
    Monitor monitor = simulation == null ? null : simulation.monitors.get(object);
    if (monitor != null) {
      monitor.notified++;
    }
  }

  /// Instead of `Object.wait`: ends by itself after some steps.
  @SuppressWarnings("ThreadPriorityCheck") // it is the scheduler's
  public static void wait(Object object, long millis) throws InterruptedException {
    Simulation simulation = now();
    Monitor monitor = simulation.monitors.get(object);
    if (monitor == null || monitor.owner != Thread.currentThread()) {
      throw new IllegalMonitorStateException();
    }
    int depth = monitor.depth;
    int seen = monitor.notified;
    monitor.depth = 0;
    monitor.owner = null;
    for (int i = 0; i < WAIT_STEPS && monitor.notified == seen; i++) {
      Thread.yield();
      if (Thread.interrupted()) {
        break;
      }
    }
    enter(object);
    monitor.depth = depth;
  }

  /// Instead of `TimeUnit.timedWait`.
  public static void timedWait(TimeUnit unit, Object object, long time)
      throws InterruptedException {
    wait(object, unit.toMillis(time));
  }

  /// Instead of `Map.computeIfAbsent`, which may hold a monitor of the JVM: no other thread runs
  /// meanwhile.
  public static <K, V> V computeIfAbsent(
      Map<K, V> map, K key, Function<? super K, ? extends V> function) {
    Simulation simulation = current;
    if (simulation == null) {
      return map.computeIfAbsent(key, function);
    }
    simulation.quiet++;
    try {
      return map.computeIfAbsent(key, function);
    } finally {
      simulation.quiet--;
    }
  }

  /// Instead of `System.nanoTime`: a microsecond a step.
  public static long nanos() {
    return now().steps * 1_000L;
  }

  /// Instead of `LockSupport.parkNanos`, which may return at any time.
  @SuppressWarnings("ThreadPriorityCheck") // it is the scheduler's
  public static void parkNanos(long nanos) {
    Thread.yield();
  }
}
