package sluice.domain.simulate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Virtual threads that one platform thread runs, one at a time, in an order that a seed gives: the
/// same seed is the same run. Woven code ([WovenLoader]) calls the static methods, where a thread
/// may be changed for another, and those of [Instead]; monitors and the clock are simulated too.
public final class Simulation {
  /// A run that takes more steps hangs.
  private static final int MOST_STEPS = 400_000;

  /// So long a thread of the JVM has to give a monitor to another one.
  private static final long UNBLOCK_NANOS = 20_000_000_000L;

  /// Code that catches everything may have to be left several times.
  private static final int MOST_UNWINDS = 100;

  /// Of so many points, one changes the thread.
  private static final int CHANGES = 3;

  private static final int NONE = -1;
  private static final int WAIT_STEPS = 200;

  /// By so much the clock goes on with each step, and the processor time of the thread.
  private static final long STEP_NANOS = 1_000;

  /// A thread that computes for longer can be changed for another so often.
  private static final long PIECE_NANOS = 100_000;

  private static @Nullable Simulation current;

  private static final class Monitor {
    private @Nullable Thread owner;
    private int depth;
    private int notified;
  }

  /// Something that happens at a time.
  static final class Timer implements Comparable<Timer> {
    private final long at;
    private final int number;
    private final Runnable action;
    private boolean isCancelled;

    Timer(long at, int number, Runnable action) {
      this.at = at;
      this.number = number;
      this.action = action;
    }

    void cancel() {
      isCancelled = true;
    }

    @Override
    public int compareTo(Timer other) {
      return at == other.at ? Integer.compare(number, other.number) : Long.compare(at, other.at);
    }
  }

  private final SplittableRandom random;
  private final List<SimulatedThread> ready = new ArrayList<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final IdentityHashMap<Object, Monitor> monitors = new IdentityHashMap<>();
  private final IdentityHashMap<Thread, SimulatedThread> threads = new IdentityHashMap<>();
  private final IdentityHashMap<Object, Executor> builders = new IdentityHashMap<>();
  private final Map<Long, SimulatedThread> platforms = new HashMap<>();
  private final List<SimulatedThread> stalled = new ArrayList<>();
  private final List<Throwable> problems = new ArrayList<>();
  private final List<Thread> all = new ArrayList<>();
  private final Thread runner = Thread.currentThread();
  private final Queue<SimulatedThread> unblocked = new ConcurrentLinkedQueue<>();
  private Observer observer = Observer.NONE;
  private @Nullable SimulatedThread running;
  private boolean isOver;
  private int numbers;
  private int steps;
  private int chosen = NONE;
  private int quiet;
  private int frozen;
  private boolean isReleased;
  private int freezes;
  private long freezeNanos;
  private boolean freezesStrands;
  private long clock;

  Simulation(long seed) {
    random = new SplittableRandom(seed);
  }

  /// Makes a thread of the simulation.
  public Thread thread(String name, Runnable task) {
    return add(new SimulatedThread(this, name, null, task));
  }

  private Thread add(SimulatedThread made) {
    threads.put(made.identity(), made);
    all.add(made.thread());
    return made.thread();
  }

  /// Returns a number below another.
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /// Returns true once in so many times.
  public boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  /// Has threads that are no strands stay away at one of so many points, as those that the kernel
  /// does not run.
  public void freeze(int points, long mostNanos) {
    freezes = points;
    freezeNanos = mostNanos;
  }

  /// Has strands stay away too, each with its carrier.
  public void freezeStrands() {
    freezesStrands = true;
  }

  /// Has an observer hear of strands.
  public void observe(Observer other) {
    observer = other;
  }

  Observer observer() {
    return new Quiet(this, observer);
  }

  private record Quiet(Simulation simulation, Observer to) implements Observer {
    @Override
    public void ready(Thread thread) {
      quietly(() -> to.ready(thread));
    }

    @Override
    public void begins(Thread thread, Thread carrier) {
      quietly(() -> to.begins(thread, carrier));
    }

    @Override
    public void comesBack(Thread thread, Thread carrier) {
      quietly(() -> to.comesBack(thread, carrier));
    }

    @Override
    public void rests() {
      quietly(to::rests);
    }

    private void quietly(Runnable tell) {
      simulation.quiet++;
      try {
        tell.run();
      } catch (Throwable e) { // told by the seed's run
        simulation.failed(e);
      } finally {
        simulation.quiet--;
      }
    }
  }

  /// Runs a scenario to its end.
  ///
  /// @throws AssertionError if it fails
  void run(Scenario scenario) throws Exception {
    current = this;
    try {
      scenario.begin(this);
      run();
      scenario.check();
      scenario.end(this);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\n" + scenario.state(), e);
    } finally {
      unwind();
      current = null;
    }
  }

  /// Ends the threads that still wait: the JVM would keep them, and what they lead to, for ever.
  private void unwind() {
    isOver = true;
    for (int i = 0; i < MOST_UNWINDS; i++) {
      all.stream().filter(Thread::isAlive).forEach(LockSupport::unpark);
      if (ready.isEmpty()) {
        return;
      }
      while (!ready.isEmpty()) {
        SimulatedThread next = ready.removeLast();
        running = next;
        next.step();
        running = null;
      }
    }
  }

  /// Leaves the code of a thread whose run is over.
  void leaveIfOver() {
    if (isOver) {
      throw new Over();
    }
  }

  /// Thrown in threads that are left when a run is over.
  private static final class Over extends Error {
    private static final long serialVersionUID = 1L;

    Over() {
      super("the run is over", null, false, false);
    }
  }

  /// Runs all threads until none is ready or waits for a time.
  ///
  /// @throws AssertionError if one has failed, or that does not end
  public void run() {
    while (problems.isEmpty() && hasNext()) {
      if (++steps > MOST_STEPS) {
        throw new AssertionError("no end after " + steps + " steps: " + living());
      }
      SimulatedThread last = ready.removeLast();
      int place = chosen == NONE ? random.nextInt(ready.size() + 1) : chosen;
      chosen = NONE;
      SimulatedThread next = place == ready.size() ? last : ready.set(place, last);
      running = next;
      use(STEP_NANOS);
      next.step();
      running = null;
    }
    if (!problems.isEmpty()) {
      throw new AssertionError("a thread has failed", problems.getFirst());
    }
  }

  /// Returns true if a thread is ready, for which time may have to pass.
  private boolean hasNext() {
    while (true) {
      Timer first = timers.peek();
      if (first != null && (first.isCancelled || first.at <= clock)) {
        timers.remove();
        if (!first.isCancelled) {
          first.action.run();
        }
        continue;
      }
      takeUnblocked();
      if (!ready.isEmpty()) {
        return true;
      }
      if (frozen == 0) {
        observer().rests();
      }
      if (first == null) {
        return false;
      }
      clock = first.at;
    }
  }

  /// Returns the threads that have begun and not ended.
  public List<String> living() {
    return all.stream()
        .filter(Thread::isAlive)
        .map(each -> each.getName() + " " + each.getState())
        .toList();
  }

  static Simulation now() {
    Simulation simulation = current;
    if (simulation == null) {
      throw new IllegalStateException("outside of a simulation");
    }
    return simulation;
  }

  // ---- what its threads are -----------------------------------------------------------------

  void ready(SimulatedThread thread) {
    if (Thread.currentThread().isVirtual() || Thread.currentThread() == runner) {
      ready.add(thread);
    } else {
      unblocked.add(thread); // by the JVM, which gives it a monitor of its own
    }
  }

  /// Takes the threads that have waited for monitors of the JVM; waits for one if all others wait.
  /// Such monitors are held by code that runs woven code in between, as maps do.
  private void takeUnblocked() {
    long deadline = System.nanoTime() + UNBLOCK_NANOS;
    while (true) {
      for (SimulatedThread each = unblocked.poll(); each != null; each = unblocked.poll()) {
        ready.add(each);
      }
      if (!ready.isEmpty() || !isBlocked() || System.nanoTime() > deadline) {
        return;
      }
      LockSupport.parkNanos(100_000);
    }
  }

  private boolean isBlocked() {
    return all.stream().anyMatch(each -> each.getState() == Thread.State.BLOCKED);
  }

  void failed(Throwable problem) {
    problems.add(problem);
  }

  SimulatedThread running() {
    SimulatedThread now = running;
    if (now == null) {
      throw new IllegalStateException("no thread of the simulation runs");
    }
    return now;
  }

  @Nullable SimulatedThread find(Thread thread) {
    return threads.get(thread);
  }

  /// Makes a thread that stands for a platform thread.
  Thread platform(Thread standsFor) {
    SimulatedThread made = new SimulatedThread(this, standsFor.getName(), standsFor, standsFor);
    platforms.put(standsFor.threadId(), made);
    return add(made);
  }

  /// Returns the thread that stands for a platform thread; null if that has not started.
  @Nullable SimulatedThread platform(long number) {
    return platforms.get(number);
  }

  void builds(Thread.Builder.OfVirtual builder, Executor scheduler) {
    builders.put(builder, scheduler);
  }

  Thread unstarted(Thread.Builder.OfVirtual builder, Runnable task) {
    Executor scheduler = builders.get(builder);
    if (scheduler == null) {
      return builder.unstarted(task);
    }
    numbers++;
    String name = builder.unstarted(task).getName();
    Strand made = new Strand(this, name, numbers, scheduler, task);
    return add(made.own());
  }

  // ---- time ---------------------------------------------------------------------------------

  Timer after(long nanos, Runnable action) {
    numbers++;
    Timer made = new Timer(clock + nanos, numbers, action);
    timers.add(made);
    return made;
  }

  private void use(long nanos) {
    clock += nanos;
    SimulatedThread here = running();
    Strand strand = here.strand();
    SimulatedThread carrier = strand == null ? null : strand.carrier();
    if (strand != null) {
      strand.use(nanos);
    }
    (carrier == null ? here : carrier).use(nanos);
  }

  /// Computes for some time on the calling thread.
  public void spend(long nanos) {
    for (long left = nanos; left > 0; left -= PIECE_NANOS) {
      use(Math.min(left, PIECE_NANOS));
      step();
    }
  }

  /// Allocates on the calling thread.
  public void allocate(long bytes) {
    SimulatedThread here = running();
    Strand strand = here.strand();
    SimulatedThread carrier = strand == null ? null : strand.carrier();
    (carrier == null ? here : carrier).allocate(bytes);
  }

  /// Has the calling strand not come back for some time, in which it uses no processor.
  public void stall(long nanos) {
    SimulatedThread here = running();
    Timer _ = after(nanos, here::resume);
    here.block();
  }

  /// Has the calling strand not come back until the stalled ones are released.
  public void stallForEver() {
    if (!isReleased) {
      SimulatedThread here = running();
      stalled.add(here);
      here.block();
    }
  }

  /// Has the strands go on that have stayed away.
  public void release() {
    isReleased = true;
    stalled.forEach(SimulatedThread::resume);
    stalled.clear();
  }

  /// Runs a task of the calling strand, which does not come back while it waits in it.
  public void pinned(Runnable task) {
    Strand strand = running().strand();
    if (strand == null) {
      throw new IllegalStateException("no strand");
    }
    strand.pinned(task);
  }

  /// Returns the name of a strand, and how it is.
  public String describe(Thread strandThread) {
    SimulatedThread known = threads.get(strandThread);
    Strand strand = known == null ? null : known.strand();
    return strandThread.getName() + " " + strand;
  }

  /// Returns the processor time that a strand has used, in nanoseconds.
  public long used(Thread strandThread) {
    SimulatedThread known = threads.get(strandThread);
    Strand strand = known == null ? null : known.strand();
    return strand == null ? 0 : strand.usedNanos();
  }

  /// Returns the processor that a platform thread keeps to, or -1.
  public int cpu(Thread platform) {
    return Objects.requireNonNull(platform(platform.threadId())).cpu();
  }

  /// Returns the processor time of all platform threads for which others stand, as far as these
  /// have looked at it.
  public long readNanos() {
    return platforms.values().stream().mapToLong(SimulatedThread::readNanos).sum();
  }

  // ---- called by woven code -----------------------------------------------------------------

  /// A place where the thread may be changed.
  public static void point() {
    Simulation simulation = current;
    if (simulation == null || !Thread.currentThread().isVirtual() || simulation.quiet > 0) {
      return;
    }
    simulation.leaveIfOver();
    if (simulation.freezes > 0 && simulation.oneIn(simulation.freezes)) {
      simulation.freeze();
    } else if (simulation.oneIn(CHANGES)) {
      step();
    }
  }

  private void freeze() {
    if (freezesStrands || running().strand() == null) {
      frozen++;
      stall(random.nextLong(freezeNanos));
      frozen--;
    }
  }

  /// Ends a step of the calling thread.
  @SuppressWarnings("ThreadPriorityCheck") // it is the scheduler's
  static void step() {
    Simulation before = current;
    if (before == null || !before.goesOn()) {
      Thread.yield();
    }
    Simulation simulation = current;
    if (simulation != null) {
      simulation.leaveIfOver();
    }
  }

  /// Begins the next step as [#run()] does, on the thread that has ended one.
  ///
  /// @return whether it is that thread's own, so that no other one need run in between
  private boolean goesOn() {
    Timer first = timers.peek();
    boolean isDue = first != null && (first.isCancelled || first.at <= clock);
    if (isOver || isDue || steps == MOST_STEPS || !problems.isEmpty() || !unblocked.isEmpty()) {
      return false;
    }
    chosen = random.nextInt(ready.size() + 1);
    if (chosen < ready.size()) {
      return false;
    }
    chosen = NONE;
    steps++;
    use(STEP_NANOS);
    return true;
  }

  /// Instead of the JVM's: a thread that waits for it is ready all the time.
  public static void enter(Object object) {
    Simulation simulation = current;
    if (simulation == null || !Thread.currentThread().isVirtual()) {
      return; // before or after the run, by its thread alone
    }
    simulation.leaveIfOver();
    Monitor monitor = simulation.monitors.computeIfAbsent(object, _ -> new Monitor());
    while (monitor.owner != null && monitor.owner != Thread.currentThread()) {
      step();
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
    if (simulation.isOver) {
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
      step();
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

  /// Instead of `System.nanoTime`: a microsecond a step, and what threads compute.
  public static long nanos() {
    return now().clock;
  }
}
