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

/// The platform threads that run the virtual threads of all domains, one per processor, and the
/// scheduler that selects the next domain to run. It selects the domain that has used the least
/// processor time in relation to its weight (C. Waldspurger, W. Weihl, "Stride Scheduling", 1995).
/// Any thread may call.
///
/// A portal call hands the processor over ([#handOver]): the called thread runs next on the
/// caller's carrier, and no other carrier is woken.
///
/// While a thread waits for a processor, a continuation that has run for 2 to 4 ms is requested to
/// yield ([RunQueue.Guest#yieldSoon]). The request is made at once if its domain has used more
/// processor time than the domain of the waiting thread. A continuation may fail to yield within
/// some 10 ms of the request (a class initializer, a native frame). It then keeps its platform
/// thread, and a spare thread takes over the processor. This happens at once if threads of its
/// domain have failed to yield recently. The number of spare threads is bounded by the thread
/// budgets of the domains.
///
/// Requires [VirtualThreads#OPTION].
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

  /// The minimum lead of a waiting queue over the running queue in the scheduling order for the
  /// running queue to be requested to yield before the watcher's next check.
  private static final long CLEAR_NANOS = 1_000_000;

  /// The number of checks after which a continuation that is still running is requested to yield.
  private static final int LONG_LOOKS = 1;

  /// The number of checks after which a continuation that has not yielded keeps its thread.
  private static final int LATE_LOOKS = 5;

  /// The number of checks with idle processors after which the watcher sleeps until one is busy.
  private static final int IDLE_LOOKS = 50;

  /// The carriers of this JVM, which are started with the first domain that has virtual threads.
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

  /// Creates separate carriers for measurements and tests. Their threads are daemon threads.
  ///
  /// @param name the name of the threads, which are numbered
  /// @param count the number of processors, at least 1
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

  /// Returns true if this JVM allows virtual threads to have custom carriers.
  public static boolean isAvailable() {
    return VirtualThreads.isAvailable();
  }

  /// Returns true if the calling thread is a carrier, which no domain may block.
  public static boolean isCarrier() {
    return Thread.currentThread() instanceof Worker;
  }

  /// Returns the carriers that all domains share.
  public static Carriers shared() {
    return Shared.ALL;
  }

  /// Returns the queue of threads on the shared carriers that belong to no domain.
  public static RunQueue host() {
    return Shared.HOST;
  }

  /// Returns true if no shared carrier is idle. In this case, a woken thread is run by a carrier
  /// that is already running, so the kernel does not have to wake a thread.
  public static boolean areBusy() {
    if (!isAvailable()) {
      return false;
    }
    return Arrays.stream(Shared.ALL.processors).noneMatch(Processor::isIdle);
  }

  /// Wakes a thread for which the caller is about to wait. If both are virtual threads on the same
  /// carriers, the woken thread runs on the caller's carrier as soon as the caller waits. Otherwise
  /// this method is equivalent to `LockSupport.unpark`. The woken thread is delayed if the caller
  /// does not wait soon.
  public static void handOver(Thread thread) {
    Worker here = Worker.current();
    if (here == null) {
      LockSupport.unpark(thread);
    } else {
      here.handOver(thread);
    }
  }

  /// Wakes the thread of a service that the calling thread calls, like [#handOver]. The schedulers
  /// of both domains are notified if they have requested it.
  public static void call(Thread thread) {
    Worker here = Worker.current();
    if (here == null) {
      LockSupport.unpark(thread);
    } else {
      here.call(thread);
    }
  }

  /// Creates the queue of a domain.
  ///
  /// @param queueName the name shown in messages
  /// @param terms determines how its threads share the processors
  /// @param guest receives the events of the domain
  /// @throws IllegalArgumentException if the terms contain a processor that this process may not
  ///   use
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

  /// Allows threads of other queues to run before the calling virtual thread continues.
  @SuppressWarnings("ThreadPriorityCheck") // the watcher has asked for it
  public static void makeRoom() {
    Worker here = Worker.current();
    if (here == null) {
      Thread.yield();
    } else {
      here.makeRoom();
    }
  }

  /// Returns the number of processors.
  public int processors() {
    return processors.length;
  }

  /// Returns the number of times that a continuation did not yield and a spare thread took over its
  /// processor.
  public long replacements() {
    return replacements.get();
  }

  /// Returns the processor time, in nanoseconds, spent on selecting and switching threads.
  public long ownNanos() {
    return own.cpuNanos();
  }

  /// Returns all platform threads, including spare ones.
  public List<Thread> threads() {
    return List.copyOf(workers);
  }

  /// Returns the platform threads that are running a continuation of the given queue, including
  /// threads that have lost their processor.
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

  /// Returns true once a queue has specified its processors. From then on, workers are bound to
  /// their processors.
  boolean isPinning() {
    return isPinning;
  }

  boolean mayRunOn(int processor, Set<Integer> cpus) {
    return cpus.contains(processors[processor].cpu());
  }

  /// Wakes an idle processor for a queue that has been listed. If no processor is idle, requests a
  /// running queue to yield if its turn is clearly later.
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
        return; // it comes back soon
      }
      if (latest == null || running.turnNanos() > latest.turnNanos()) {
        latest = running;
        at = each;
      }
    }
    if (latest == null || at == null) {
      return;
    }
    if (latest.turnNanos() - listed.turnNanos() > CLEAR_NANOS) {
      latest.yieldSoon(false);
      if (latest.isStubborn()) {
        hurry(at);
      }
    }
  }

  /// Makes the watcher check a processor now, because continuations of the domain that runs there
  /// have recently failed to yield when requested.
  private void hurry(Processor processor) {
    Worker running = processor.worker();
    if (running != null) {
      processor.asked(running);
      isHurried = true;
      LockSupport.unpark(watcher);
    }
  }

  /// Wakes an idle processor for which a queue is waiting, if there is one. The thread of a
  /// processor is started when it is first woken.
  ///
  /// @return false if there is no work for an idle processor
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

  /// Wakes the watcher. Called by a worker after it has waited.
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

  /// Removes a spare worker that is about to terminate.
  ///
  /// @return true if the worker may terminate, because it will not be assigned a processor again
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
          LockSupport.parkNanos(this, lookNanos / 16); // work may be on its way to a worker
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

  /// Waits until the next check, or until a thread requests a check of a processor.
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

  /// Waits until a processor is busy. The busy worker unparks this thread.
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

  /// Checks all processors once.
  ///
  /// @return true if all processors are idle
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
        replace(each, worker); // alone, it may be waiting for a thread of its own queue
      } else if (isAwaited || running.endsSlice(looks * lookNanos)) {
        running.yieldSoon(isAgain && hasRun);
      }
    }
    for (Worker each : workers) {
      if (each.isLost()) {
        each.giveNextBack();
        RunQueue running = each.meter().current();
        if (running != own && each.meter().hasRun()) {
          running.yieldSoon(true); // it runs in addition to the processors
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

  /// Stops the carriers. Their continuations are not resumed.
  @Override
  public void close() {
    ended = true;
    for (Worker each : workers) {
      LockSupport.unpark(each);
    }
    LockSupport.unpark(watcher);
  }
}
