package sluice.domain.carrier;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import sluice.sys.threads.Affinity;
import sluice.sys.threads.HostThread;
import sluice.sys.threads.VirtualThreads;

/// The platform threads that run the virtual threads of all domains, as many as there are
/// processors, and the choice which domain runs next: that which has used least of them for its
/// weight (C. Waldspurger, W. Weihl, "Stride Scheduling", 1995). Any thread may call.
///
/// A portal call is a hand-over ([#handOver]): the thread that is called runs next on the caller's
/// carrier, and no other carrier is woken.
///
/// While a thread waits for a processor, a continuation that has run for 2 to 4 ms is asked to
/// yield ([RunQueue.Guest#yieldSoon]), and at once if its domain has used more of the processors
/// than that of the thread. A continuation that has not come back after some 10 ms, though it was
/// asked (a class initializer, a native frame), keeps its platform thread, and a spare one takes
/// over; at once if threads of its domain did not yield lately. The number of spare ones is bounded
/// by the budgets of threads of the domains.
///
/// Needs [VirtualThreads#OPTION].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | spares, workers, replacements | any thread | atomic | atomic |
/// | isPinning | any thread | volatile | volatile |
/// | isWatching | workers, the watcher | volatile | volatile |
/// | isHurried | threads with work, the watcher | volatile | volatile |
/// | ended | the thread that closes | volatile | volatile |
public final class Carriers implements AutoCloseable {
  private static final long LOOK_NANOS = 2_000_000;

  /// By so much the turn of a queue comes before that of the queue that runs, if it is not to wait
  /// for a look of the watcher.
  private static final long CLEAR_NANOS = 1_000_000;

  /// A continuation that did not come back for so many looks is asked to yield.
  private static final int LONG_LOOKS = 1;

  /// A continuation that did not come back for so many looks keeps its thread.
  private static final int LATE_LOOKS = 5;

  /// After so many looks at idle processors the watcher waits until one is not.
  private static final int IDLE_LOOKS = 50;

  /// The carriers of this JVM, started with the first domain that has virtual threads.
  private static final class Shared {
    static final Carriers ALL =
        new Carriers("sluice-carrier", Runtime.getRuntime().availableProcessors());
    static final RunQueue HOST = ALL.queue("host", QueueTerms.DEFAULT, Shared::escaped);

    private static void escaped(Throwable problem) {
      Thread here = Thread.currentThread();
      here.getThreadGroup().uncaughtException(here, problem);
    }
  }

  private final String name;
  private final long lookNanos;
  private final int lateLooks;
  private final Processor[] processors;
  private final RunQueue own = new RunQueue(this, "carriers", QueueTerms.DEFAULT, _ -> {});
  private final TurnList<RunQueue> turns;
  private final ConcurrentLinkedDeque<Worker> spares = new ConcurrentLinkedDeque<>();
  private final List<Worker> workers = new CopyOnWriteArrayList<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private final AtomicLong replacements = new AtomicLong();
  private final Thread watcher;
  private volatile boolean isPinning;
  private volatile boolean isWatching = true;
  private volatile boolean isHurried;
  private volatile boolean ended;

  /// Makes carriers of their own, daemons: for measurements, and for tests.
  ///
  /// @param name of the threads, which get a number each
  /// @param count of processors, at least 1
  /// @throws UnsupportedOperationException if the JVM was not started with the option
  public Carriers(String name, int count) {
    this(name, count, LOOK_NANOS, LATE_LOOKS);
  }

  Carriers(String name, int count, long lookNanos, int lateLooks) {
    VirtualThreads.on(own); // throws now rather than in a call
    this.name = name;
    this.lookNanos = lookNanos;
    this.lateLooks = lateLooks;
    processors = new Processor[count];
    List<Integer> cpus = Affinity.processors();
    for (int i = 0; i < count; i++) {
      processors[i] = new Processor(i, i < cpus.size() ? cpus.get(i) : Processor.NO_CPU);
    }
    turns = new TurnList<>(count);
    watcher = HostThread.daemon(name + "-watch", this::look);
    watcher.start();
  }

  /// Whether this JVM lets virtual threads have carriers of their own.
  public static boolean isAvailable() {
    return VirtualThreads.isAvailable();
  }

  /// Returns true if the calling thread is a carrier, which no domain may hold up.
  public static boolean isCarrier() {
    return Thread.currentThread() instanceof Worker;
  }

  /// Returns the carriers that all domains share.
  public static Carriers shared() {
    return Shared.ALL;
  }

  /// Returns the queue, on the shared carriers, of threads that are no domain's.
  public static RunQueue host() {
    return Shared.HOST;
  }

  /// Returns true if no shared carrier is idle. A thread that is woken then is run by a carrier
  /// that is running already, so the kernel has no thread to wake.
  public static boolean areBusy() {
    if (!isAvailable()) {
      return false;
    }
    return Arrays.stream(Shared.ALL.processors).noneMatch(Processor::isIdle);
  }

  /// Wakes a thread that the caller is about to wait for. Where both are virtual threads of the
  /// same carriers the woken one runs as soon as the caller waits, on its carrier; else as
  /// `LockSupport.unpark`. A caller that does not wait at once holds the other up.
  public static void handOver(Thread thread) {
    Worker here = Worker.current();
    if (here == null) {
      LockSupport.unpark(thread);
    } else {
      here.handOver(thread);
    }
  }

  /// As [#handOver], for a thread that runs a service which the calling thread calls: schedulers of
  /// the two domains hear of it if they ask.
  public static void call(Thread thread) {
    Worker here = Worker.current();
    if (here == null) {
      LockSupport.unpark(thread);
    } else {
      here.call(thread);
    }
  }

  /// Makes the queue of a domain.
  ///
  /// @param queueName for messages
  /// @param guest is told what concerns the domain
  /// @throws IllegalArgumentException if it names a processor that this process may not use
  public RunQueue queue(String queueName, QueueTerms terms, RunQueue.Guest guest) {
    for (int cpu : terms.cpus()) {
      if (Arrays.stream(processors).noneMatch(each -> each.cpu() == cpu)) {
        throw new IllegalArgumentException(
            queueName
                + " is to run on processor "
                + cpu
                + ". Why: this process may use "
                + Arrays.stream(processors).map(each -> String.valueOf(each.cpu())).toList()
                + ". Fix: name some of those");
      }
    }
    if (!terms.cpus().isEmpty()) {
      isPinning = true;
    }
    return new RunQueue(this, queueName, terms, guest);
  }

  /// Returns true if the calling thread is a virtual thread whose carrier has lost its processor.
  public static boolean runsBeside() {
    Worker here = Worker.current();
    return here != null && here.isLost();
  }

  /// Has the calling virtual thread make room for other queues: its own goes on with it.
  @SuppressWarnings("ThreadPriorityCheck") // the watcher has asked for it
  public static void makeRoom() {
    Worker here = Worker.current();
    if (here == null) {
      Thread.yield();
    } else {
      here.makeRoom();
    }
  }

  /// Returns how many processors there are.
  public int processors() {
    return processors.length;
  }

  /// Returns how often a continuation did not come back and a spare thread took over.
  public long replacements() {
    return replacements.get();
  }

  /// Returns the processor time, in nanoseconds, that choosing and changing threads has cost.
  public long ownNanos() {
    return own.cpuNanos();
  }

  /// Returns the platform threads that there are, with the spare ones.
  public List<Thread> threads() {
    return List.copyOf(workers);
  }

  /// Returns the platform threads that run a continuation of a queue now, or have not come back
  /// from one.
  public List<Thread> running(RunQueue queue) {
    return workers.stream()
        .filter(each -> each.meter().runs(queue))
        .map(Thread.class::cast)
        .toList();
  }

  RunQueue own() {
    return own;
  }

  boolean hasEnded() {
    return ended;
  }

  long running(RunQueue queue, boolean inBytes) {
    long sum = 0;
    for (Worker each : workers) {
      sum += each.meter().running(queue, inBytes);
    }
    return sum;
  }

  TurnList<RunQueue> turns() {
    return turns;
  }

  /// Returns true once a queue has named its processors: workers keep to theirs then.
  boolean isPinning() {
    return isPinning;
  }

  boolean mayRunOn(int processor, Set<Integer> cpus) {
    return cpus.contains(processors[processor].cpu());
  }

  /// Wakes an idle processor for a queue that has been listed. Where none is idle, and a queue runs
  /// whose turn is clearly later, that is asked to yield.
  void wake(RunQueue listed) {
    if (wake()) {
      return;
    }
    RunQueue latest = null;
    Processor at = null;
    for (Processor each : processors) {
      Worker worker = each.worker();
      if (worker == null || each.isIdle() || !listed.mayRunOn(each.index())) {
        continue;
      }
      RunQueue running = worker.meter().current();
      if (running == own || running == listed) {
        return; // which comes back soon
      }
      if (latest == null || running.turnNanos() > latest.turnNanos()) {
        latest = running;
        at = each;
      }
    }
    if (latest != null && at != null && latest.turnNanos() - listed.turnNanos() > CLEAR_NANOS) {
      latest.yieldSoon(false);
      if (latest.isStubborn()) {
        hurry(at);
      }
    }
  }

  /// Has the watcher look at a processor now: the domain that runs there has had continuations
  /// lately that did not yield when they were asked.
  private void hurry(Processor processor) {
    Worker running = processor.worker();
    if (running != null) {
      processor.asked(running);
      isHurried = true;
      LockSupport.unpark(watcher);
    }
  }

  /// Wakes an idle processor for which a queue waits, if there is one. A processor gets its thread
  /// when it is first woken.
  ///
  /// @return false if no idle processor has anything to do
  boolean wake() {
    for (Processor each : processors) {
      boolean isNeeded = each.isIdle() && !turns.isEmpty(each.index());
      long state = isNeeded ? each.wake() : -1;
      if (state >= 0) {
        Worker worker = each.worker();
        if (worker == null) {
          start(each, state);
        } else {
          LockSupport.unpark(worker);
        }
        return true;
      }
    }
    return false;
  }

  /// Called by a worker that has waited.
  void watch() {
    if (!isWatching) {
      isWatching = true;
      LockSupport.unpark(watcher);
    }
  }

  void failed(Throwable problem) {
    Shared.escaped(problem);
  }

  void spare(Worker worker) {
    spares.push(worker);
  }

  /// Returns true if a spare worker may end: it gets no processor any more.
  boolean dismiss(Worker worker) {
    return spares.remove(worker) && workers.remove(worker);
  }

  private void start(Processor free, long state) {
    Worker made = new Worker(this, name + "-" + numbers.incrementAndGet(), free, state);
    workers.add(made);
    free.give(made);
    try {
      made.start();
    } catch (Throwable e) { // no memory for a thread: the next thread with work tries again
      workers.remove(made);
      free.giveUp(state);
      throw e;
    }
  }

  private void look() {
    long last = System.nanoTime();
    int idle = 0;
    while (!ended) {
      try {
        long left = last + lookNanos - System.nanoTime();
        if (left > 0) {
          waitHurried(left);
          continue;
        }
        last = System.nanoTime();
        if (isAwaited()) {
          LockSupport.parkNanos(this, lookNanos / 16); // for what is on its way to a worker only
        }
        idle = lookOnce() ? idle + 1 : 0;
        if (idle > IDLE_LOOKS) {
          idle = 0;
          rest();
        }
      } catch (Throwable e) { // an Error of the JVM: no thread can be started
        failed(e);
      }
    }
  }

  /// Waits until the next look, or until a thread wants a processor looked at.
  private void waitHurried(long nanos) {
    if (!isHurried) {
      LockSupport.parkNanos(this, nanos);
    }
    if (!isHurried) {
      return;
    }
    isHurried = false;
    for (Processor each : processors) {
      Worker worker = each.worker();
      if (each.isAskedInVain() && worker != null && !turns.isEmpty(each.index())) {
        replace(each, worker);
      }
    }
  }

  /// Waits until a processor is busy: it unparks this thread then.
  private void rest() {
    isWatching = false;
    for (Processor each : processors) {
      if (!each.isIdle()) {
        isWatching = true;
      }
    }
    while (!isWatching && !ended) {
      LockSupport.park(this);
    }
  }

  /// @return whether all processors are idle
  private boolean lookOnce() {
    boolean isIdle = true;
    for (Processor each : processors) {
      Worker worker = each.worker();
      int looks = each.looks();
      isIdle &= each.isIdle();
      if (worker == null || looks < LONG_LOOKS) {
        continue;
      }
      RunQueue running = worker.meter().current();
      boolean isAlone = running.isAlone(turns);
      boolean isAwaited = (!turns.isEmpty(each.index()) && !isAlone) || worker.hasNext();
      boolean isAgain = each.isAwaitedAgain(isAwaited);
      boolean isLate = looks >= lateLooks;
      boolean hasRun = (isAwaited || isAlone) && worker.meter().hasRun();
      if (isLate && (isAgain || (isAlone && !hasRun))) {
        replace(each, worker); // alone, it may wait for another of its own queue
      } else if (isAwaited || running.endsSlice(looks * lookNanos)) {
        running.yieldSoon(isAgain && hasRun);
      }
    }
    for (Worker each : workers) {
      if (each.isLost()) {
        each.giveNextBack();
        RunQueue running = each.meter().current();
        if (running != own && each.meter().hasRun()) {
          running.yieldSoon(true); // it runs beside the processors, by no turn
        }
      }
    }
    return isIdle;
  }

  private boolean isAwaited() {
    return Arrays.stream(processors).anyMatch(each -> !turns.isEmpty(each.index()));
  }

  private void replace(Processor processor, Worker late) {
    long state = processor.take();
    if (state < 0) {
      return;
    }
    late.lose();
    replacements.incrementAndGet();
    Worker spare = spares.poll();
    if (spare == null) {
      start(processor, state);
    } else {
      processor.give(spare);
      spare.take(processor, state);
    }
  }

  /// Ends the carriers; what runs on them does not go on.
  @Override
  public void close() {
    ended = true;
    for (Worker each : workers) {
      LockSupport.unpark(each);
    }
    LockSupport.unpark(watcher);
  }
}
