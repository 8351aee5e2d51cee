package sluice.domain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.Death;
import sluice.domain.portal.Party;
import sluice.domain.portal.copy.CopyQuota;
import sluice.domain.schedule.Scheduler;
import sluice.memory.Memory;

/// A container for third-party code in this JVM, with its own classes, streams, system properties,
/// threads and budget. A domain can always be terminated. Any thread may call.
///
/// A domain does not protect against hostile code. The threat model lists the properties that a
/// single JVM cannot enforce.
///
/// ```
/// alive ── kill ──▶ ending ── last thread gone ──▶ ended
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | reason, tasks | the thread that ends the domain, callers of `onEnd` | under the lock | under the lock |
/// | alive | the thread that ends the domain | volatile | volatile, under the lock |
/// | problem, problemText | a thread with a main class | volatile | volatile |
/// | held | the warden's thread | volatile | volatile |
/// | yields | the watcher of carriers sets, the warden's thread clears | volatile | volatile |
/// | callsNanos | the thread that ends the domain, then the warden's | volatile | volatile |
/// | hasCleaned | the warden's thread, a closer | under the lock of finishing | as read |
///
/// [Closers] perform all work that may run code of the domain, or that may wait for a lock held by
/// that code. The thread that terminates the domain and the warden perform none of this work.
public final class Domain implements Party, AutoCloseable {
  private static final ConcurrentHashMap<String, Domain> LIVING = new ConcurrentHashMap<>();

  private final DomainConfig config;
  private final ClassPath path;
  private final Throttle throttle = new Throttle();
  private final GateSwitch gates;
  private final GateWatch watch;
  private final DomainThreads threads;
  private final Closers closers;
  private final DomainSockets sockets;
  private final DomainMemory memory;
  private final DomainServices services;
  private final DomainTraces traces = new DomainTraces();
  private final DomainLoader loader;
  private final Usage usage;
  private final CopyQuota copyQuota;
  private final CountDownLatch gone = new CountDownLatch(1);
  private final List<Runnable> tasks = new ArrayList<>();
  private final Object finishing = new Object();
  private final BooleanSupplier look = this::look;
  private final BooleanSupplier closersLook;
  private final StuckThreads stuck = new StuckThreads();
  private boolean hasCleaned;

  /// True once the killing thread has queued all tasks for the closers.
  private volatile boolean hasOrdered;

  private volatile long callsNanos;
  private String reason = "";
  private volatile boolean alive = true;
  private volatile boolean held;
  private volatile boolean yields;
  private volatile @Nullable Throwable problem;
  private volatile String problemText = "";

  private Domain(DomainConfig config, ClassPath path) throws IOException {
    this.config = config;
    this.path = path;
    gates = new GateSwitch(config.name());
    watch = new GateWatch(gates::watch, gates::leave);
    threads = new DomainThreads(config, owner());
    closers = new Closers(config.name(), () -> gates.admit(null), this::finishIfGone);
    closersLook = closers::look;
    sockets = new DomainSockets(config);
    memory = new DomainMemory(config);
    services = new DomainServices();
    DomainHome home = new DomainHome(config, threads, sockets, memory, services, traces);
    loader = new DomainLoader(config, path, gates.site(), throttle, home);
    threads.loader(loader);
    usage = new Usage(config.budget());
    copyQuota = config.budget().copyQuota();
  }

  /// Creates a domain. Its classes are loaded on first use.
  ///
  /// @throws IOException if a jar cannot be read
  /// @throws IllegalStateException if a living domain with the same name exists
  public static Domain create(DomainConfig config) throws IOException {
    JdkThreads.start();
    ClassPath path = new ClassPath(config.classPath());
    Domain domain;
    try {
      domain = new Domain(config, path);
    } catch (IOException | RuntimeException e) {
      path.close();
      throw e;
    }
    if (LIVING.putIfAbsent(config.name(), domain) != null) {
      domain.path.close();
      throw new IllegalStateException(
          "domain " + config.name() + ". Why: the name is taken. Fix: end the other, or rename");
    }
    if (config.budget().isSampled()) {
      Warden.watch(domain.look);
    }
    domain.threads.begin();
    return domain;
  }

  private DomainThreads.Owner owner() {
    return new DomainThreads.Owner() {
      @Override
      public void aside(Runnable task) {
        Domain.this.aside(task);
      }

      @Override
      public void yieldSoon() {
        Domain.this.yieldSoon();
      }

      @Override
      public boolean isToYield() {
        return throttle.isToYield();
      }

      @Override
      public void schedulerFailed(Throwable problem) {
        aside(() -> kill("its scheduler failed: " + textOf(problem)));
      }

      @Override
      public Scheduler scheduler(String type) throws Exception {
        return DomainScheduler.make(type, loader, config.classPath());
      }
    };
  }

  /// Returns the living domains, in no particular order.
  public static List<Domain> living() {
    return List.copyOf(LIVING.values());
  }

  @Override
  public String name() {
    return config.name();
  }

  @Override
  public ClassLoader loader() {
    return loader;
  }

  @Override
  public boolean alive() {
    return alive;
  }

  @Override
  public void onEnd(Runnable task) {
    synchronized (this) {
      if (alive) {
        tasks.add(task);
        return;
      }
    }
    task.run();
  }

  @Override
  public CopyQuota copyQuota() {
    return copyQuota;
  }

  /// Returns the main class named by the manifest of the first jar, or null if there is none.
  public @Nullable String mainClass() throws IOException {
    return path.mainClass();
  }

  /// Starts a main class in a new thread of the domain.
  ///
  /// @throws ClassNotFoundException if the domain does not have the class
  /// @throws NoSuchMethodException if the class has no `public static void main(String[])`
  public Thread run(String mainClass, String... arguments)
      throws ClassNotFoundException, NoSuchMethodException {
    Class<?> type = Class.forName(mainClass, false, loader);
    MethodHandle main;
    try {
      main =
          MethodHandles.publicLookup()
              .findStatic(type, "main", MethodType.methodType(void.class, String[].class));
    } catch (IllegalAccessException e) {
      throw new NoSuchMethodException(mainClass + ".main(String[]) is not public: " + e);
    }
    String[] copy = arguments.clone();
    return start(
        "main",
        () -> {
          try {
            main.invokeExact(copy);
          } catch (Death e) {
            throw e;
          } catch (RuntimeException | Error e) {
            threw(e);
            throw e;
          } catch (Throwable e) {
            threw(e);
            throw new IllegalStateException(mainClass + ".main: " + e, e);
          }
        });
  }

  private void threw(Throwable thrown) {
    if (alive) {
      problemText = textOf(thrown);
      problem = thrown;
    }
  }

  /// Returns the text of a throwable. Because this runs code of the domain, only threads that
  /// terminate together with the domain may call it.
  public static String textOf(Throwable thrown) {
    try {
      return String.valueOf(thrown);
    } catch (Death e) {
      throw e;
    } catch (Throwable e) { // its own code may throw anything
      return thrown.getClass().getName();
    }
  }

  /// Returns the exception that a main class has thrown, or null if there is none. The termination
  /// of the domain does not count as a problem. The methods of the returned exception may be code
  /// of the domain, whereas [#problemText] is safe.
  public @Nullable Throwable problem() {
    return problem;
  }

  /// Returns the text of [#problem], as created by the thread that threw it.
  public String problemText() {
    return problemText;
  }

  /// Runs a task in a thread of the domain.
  ///
  /// @param threadName the name shown in messages
  /// @throws DomainEnded if the domain has ended
  /// @throws IllegalStateException if the thread budget is exhausted
  public Thread start(String threadName, Runnable task) {
    checkAlive();
    Thread thread = threads.make(threadName, task, false);
    thread.start();
    return thread;
  }

  /// Returns a new virtual thread of the domain, or a platform thread if the JVM does not allow
  /// schedulers for virtual threads.
  ///
  /// @throws DomainEnded if the domain has ended
  @Override
  public Thread serviceThread(String threadName, Runnable task) {
    checkAlive();
    return threads.make(threadName, task, false);
  }

  /// Runs a task soon in a disposable thread. A task that never returns blocks only that thread.
  @Override
  public void aside(Runnable task) {
    add(Closers.Kind.INTERRUPT, task, task::run);
  }

  private void add(Closers.Kind kind, Object subject, Closers.Step step) {
    closers.add(kind, subject, step);
    Warden.watch(closersLook);
  }

  /// Allocates zeroed native memory for the domain. The memory is charged to the domain's budget
  /// until it is closed, or revoked when the domain terminates.
  ///
  /// @throws DomainEnded if the domain has ended
  /// @throws IllegalStateException if the memory budget is exhausted
  public Memory allocate(long bytes) {
    checkAlive();
    return memory.allocate(bytes);
  }

  /// Calls code of the domain in the caller's thread. If the domain is scheduled cooperatively, the
  /// call runs in a thread of the domain instead, and the caller waits for it. If the domain is
  /// terminated during the call, the call ends at its next gate; a blocked call is not interrupted.
  /// The domain is charged for the processor time and memory that a platform thread uses during the
  /// call.
  ///
  /// @throws DomainEnded if the domain has ended, or ends during the call
  public <T> T call(Callable<T> task) throws Exception {
    checkAlive();
    try {
      return threads.has(Thread.currentThread())
          ? task.call()
          : admitsCallers() ? visit(task) : callInside(task);
    } catch (Throwable e) {
      checkAlive();
      throw e;
    }
  }

  /// Exempts a thread of the host from waiting at gates while the domain is over its budget. The
  /// thread may only call code for which a verifier has determined a bound, and must check
  /// [#isHeld] before each call. After the domain has ended, gates throw an exception in this
  /// thread as in any other.
  public void admit(Thread visitor) {
    throttle.admit(visitor);
  }

  /// Charges the domain for resources that a thread of the host used on its behalf.
  public void charge(long nanos, long bytes) {
    usage.charge(nanos, bytes);
  }

  private <T> T visit(Callable<T> task) throws Exception {
    Visit visit = Visit.begin(usage);
    try {
      return task.call();
    } finally {
      if (visit != null) {
        visit.end();
      }
    }
  }

  private <T> T callInside(Callable<T> task) throws Exception {
    FutureTask<T> result = new FutureTask<>(task);
    start("call", result);
    try {
      return result.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case Exception thrown -> throw thrown;
        case Error thrown -> throw thrown;
        case null, default -> throw e;
      }
    }
  }

  @Override
  public boolean admitsCallers() {
    return !threads.isCooperative();
  }

  /// @throws DomainEnded if the domain is not alive
  private void checkAlive() {
    if (!alive) {
      synchronized (this) {
        throw new DomainEnded(name(), reason);
      }
    }
  }

  /// Terminates the domain, as [#kill(String)] does.
  public void kill() {
    kill("it was killed");
  }

  /// Terminates the domain. Each of its threads terminates at its next gate, and blocked threads
  /// are interrupted until none is left. This method returns when all gates are closed, after at
  /// most some 10 ms, and runs no code of the domain. Subsequent calls have no effect.
  ///
  /// @param why the reason, which is reported to callers
  /// @throws IllegalStateException if an `onEnd` task of the host threw an exception; the domain is
  ///   terminated nevertheless
  public void kill(String why) {
    List<Runnable> last;
    synchronized (this) {
      if (!alive) {
        return;
      }
      reason = why;
      alive = false;
      last = List.copyOf(tasks);
      tasks.clear();
    }
    threads.refuse();
    gates.end();
    throttle.close(false);
    LIVING.remove(name(), this);
    memory.end();
    callsNanos = System.nanoTime() + StuckThreads.FIRST_NANOS;
    wake();
    sockets.end().forEach(each -> add(Closers.Kind.SOCKET, each, () -> DomainSockets.close(each)));
    services
        .end()
        .forEach(each -> add(Closers.Kind.SERVICE, each, () -> DomainServices.close(each)));
    // Pools are closed after the channels, because handlers of the channels run in them.
    threads
        .pools()
        .all()
        .forEach(pool -> add(Closers.Kind.POOL, pool, () -> DomainPools.shutDown(pool)));
    hasOrdered = true;
    Throwable failed = runAll(last);
    if (!finishIfGone()) {
      Warden.watch(look);
    }
    if (failed != null) {
      throw new IllegalStateException("domain " + name() + " has ended, but: " + failed, failed);
    }
  }

  /// Runs all tasks, even if some throw an exception.
  ///
  /// @return the first exception, or null if there was none
  private static @Nullable Throwable runAll(List<Runnable> tasks) {
    Throwable first = null;
    for (Runnable task : tasks) {
      try {
        task.run();
      } catch (Death e) {
        // The task reached a gate of the ending domain, which is not a failure.
      } catch (RuntimeException | Error e) {
        first = first == null ? e : first;
      }
    }
    return first;
  }

  /// Interrupts the remaining threads so that they reach a gate.
  ///
  /// @return true if no thread is left
  private boolean wake() {
    List<Thread> left = threads.left();
    if (!left.isEmpty() && System.nanoTime() - callsNanos > 0) {
      callsNanos = System.nanoTime() + StuckThreads.NEXT_NANOS;
      List<Thread> carrying = threads.carrying();
      add(Closers.Kind.CALLS, stuck, () -> stuck.look(left, carrying));
    }
    for (Thread thread : left) {
      add(Closers.Kind.INTERRUPT, thread, () -> DomainThreads.interrupt(thread));
      if (thread.isVirtual()) {
        LockSupport.unpark(thread); // an unfinished interrupt may not have unparked it
      }
    }
    return left.isEmpty();
  }

  /// Performs the last steps as soon as all earlier ones are complete. A late task of the closers
  /// does not delay the end, because its thread does not belong to the domain.
  ///
  /// @return true if the domain has ended
  private boolean finishIfGone() {
    synchronized (finishing) {
      if (alive || gone.getCount() == 0) {
        return !alive;
      }
      if (!hasOrdered || !threads.left().isEmpty() || !memory.areClosed() || !closers.isIdle()) {
        return false;
      }
      if (!hasCleaned) {
        hasCleaned = true;
        traces.remove(loader, gates, this::add);
        return false;
      }
      threads.release();
      try {
        path.close();
      } catch (IOException e) {
        throw new UncheckedIOException("domain " + name() + " has ended, but a jar stays open", e);
      } finally {
        gone.countDown();
        closers.end();
      }
      return true;
    }
  }

  /// Waits until the domain has ended and all of its threads have terminated.
  ///
  /// @return false on timeout
  public boolean awaitEnd(Duration atMost) throws InterruptedException {
    return gone.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /// Returns the threads that are charged to the domain, including its disposable threads.
  private List<Thread> accountable() {
    List<Thread> all = threads.accountable();
    all.addAll(closers.threads());
    return all;
  }

  /// Samples a living domain, or continues the termination of a dying one. The warden calls this
  /// method every 20 ms.
  ///
  /// @return true if the warden has to call this method again
  private boolean look() {
    if (!alive) {
      boolean isGone = finishIfGone();
      if (!isGone) {
        wake();
      }
      return !isGone;
    }
    boolean isSampled = config.budget().isSampled();
    boolean isOver = isSampled && sample();
    boolean isToYield = yields;
    if (isToYield) {
      yields = false; // not a request that came since
    }
    watch.sampled(isOver || isToYield, System.nanoTime());
    held = isOver;
    throttle.close(isOver && alive);
    if (!alive) {
      throttle.close(false);
    }
    return isSampled || watch.isWatching();
  }

  private boolean sample() {
    return usage.sample(accountable(), threads.carriedNanos(), threads.carriedBytes());
  }

  /// Makes the domain yield a carrier at a gate. Called by the carriers' watcher and by threads
  /// that wake other threads. If the gates are not active yet, the warden activates them.
  private void yieldSoon() {
    throttle.yieldSoon();
    yields = true;
    if (!watch.isWatching()) {
      Warden.watch(look);
    }
  }

  /// Returns the reason why the domain was terminated, or an empty string while it is alive.
  public synchronized String endReason() {
    return reason;
  }

  /// Returns true if the domain was over its budget at the last sample, in which case its threads
  /// wait at their gates. The cost is two volatile reads, so the method can be called before each
  /// call into the domain.
  public boolean isHeld() {
    return held && alive;
  }

  /// Takes a sample and returns the domain's state and resource use.
  public DomainStat stat() {
    if (alive) {
      boolean _ = sample();
    }
    String state = alive ? "alive" : gone.getCount() > 0 ? "ending" : "ended";
    return new DomainStat(
        name(),
        state,
        threads.running().size() + services.serving(),
        threads.platformThreads() + services.serving(),
        usage.cpuNanos(),
        usage.allocatedBytes(),
        isHeld(),
        sockets.count(),
        memory.account().usedBytes(),
        closers.late().stream().map(Closers.Kind::label).toList());
  }

  /// Terminates the domain, as [#kill()] does.
  @Override
  public void close() {
    kill("it was closed");
  }
}
