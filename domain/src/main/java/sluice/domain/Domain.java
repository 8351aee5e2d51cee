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

/// Code of other people with classes, streams, properties and threads of its own, a budget, and an
/// end. Any thread may call.
///
/// No protection against hostile code: what one JVM cannot enforce is in the threat model.
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
/// Whatever may run code of the domain, or wait for a lock that its code holds, is done by
/// [Closers]: neither the thread that ends the domain nor the warden does it.
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

  /// The killing thread has given all errands to the closers.
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

  /// Makes a domain. Classes are loaded when they are used.
  ///
  /// @throws IOException if a jar cannot be read
  /// @throws IllegalStateException if a living domain has the name
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

  /// The domains that live, in no order.
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

  /// The main class that the manifest of the first jar names, or null.
  public @Nullable String mainClass() throws IOException {
    return path.mainClass();
  }

  /// Starts a main class in a thread of the domain.
  ///
  /// @throws ClassNotFoundException if the domain does not have the class
  /// @throws NoSuchMethodException if it has no `public static void main(String[])`
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

  /// What was thrown, in words. Runs code of the domain, so only a thread that ends with the domain
  /// may call.
  public static String textOf(Throwable thrown) {
    try {
      return String.valueOf(thrown);
    } catch (Death e) {
      throw e;
    } catch (Throwable e) { // its own code may throw anything
      return thrown.getClass().getName();
    }
  }

  /// What a main class threw, or null. The end of the domain is no problem. Its methods may be code
  /// of the domain; [#problemText] is not.
  public @Nullable Throwable problem() {
    return problem;
  }

  /// [#problem] in words, as the thread said that threw it.
  public String problemText() {
    return problemText;
  }

  /// Runs a task in a thread of the domain.
  ///
  /// @param threadName for messages
  /// @throws DomainEnded if it has ended
  /// @throws IllegalStateException if the budget has no thread left
  public Thread start(String threadName, Runnable task) {
    checkAlive();
    Thread thread = threads.make(threadName, task, false);
    thread.start();
    return thread;
  }

  /// A virtual thread of the domain; a platform thread where the JVM does not allow those.
  ///
  /// @throws DomainEnded if it has ended
  @Override
  public Thread serviceThread(String threadName, Runnable task) {
    checkAlive();
    return threads.make(threadName, task, false);
  }

  /// Runs a task soon, in a disposable thread: if it does not return, only that thread is lost.
  @Override
  public void aside(Runnable task) {
    add(Closers.Kind.INTERRUPT, task, task::run);
  }

  private void add(Closers.Kind kind, Object subject, Closers.Step step) {
    closers.add(kind, subject, step);
    Warden.watch(closersLook);
  }

  /// Native memory of zeroes for the domain, charged to its budget until it is closed or the domain
  /// ends, which revokes it.
  ///
  /// @throws DomainEnded if it has ended
  /// @throws IllegalStateException if the budget has no room
  public Memory allocate(long bytes) {
    checkAlive();
    return memory.allocate(bytes);
  }

  /// Calls code of the domain in the caller's thread; where its scheduling is cooperative, in a
  /// thread of the domain, for which the caller waits. If the domain ends meanwhile, the call ends
  /// at the next gate; a call that waits is not interrupted. What a platform thread uses is charged
  /// to the domain.
  ///
  /// @throws DomainEnded if the domain has ended, also during the call
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

  /// Has the gates hold this thread of the host never, also while the domain is over its budget: it
  /// calls only what a verifier has found a bound for, and asks [#isHeld] before. After the end,
  /// gates throw in it as in any thread.
  public void admit(Thread visitor) {
    throttle.admit(visitor);
  }

  /// Charges to the domain what a thread of the host has used for it.
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

  /// @throws DomainEnded if it is not alive
  private void checkAlive() {
    if (!alive) {
      synchronized (this) {
        throw new DomainEnded(name(), reason);
      }
    }
  }

  /// Ends the domain; see [#kill(String)].
  public void kill() {
    kill("it was killed");
  }

  /// Ends the domain: each of its threads ends at its next gate, and waits are interrupted until no
  /// thread is left. Returns when all gates are closed, at most some 10 ms later, and runs no code
  /// of the domain; does nothing the second time.
  ///
  /// @param why for callers
  /// @throws IllegalStateException after all that, if a task of `onEnd`, which is the host's, threw
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
    // After the channels, whose handlers run there.
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

  /// Runs each task, also after a task that throws.
  ///
  /// @return what the first of these threw, or null
  private static @Nullable Throwable runAll(List<Runnable> tasks) {
    Throwable first = null;
    for (Runnable task : tasks) {
      try {
        task.run();
      } catch (Death e) {
        // The task came to a gate of the domain that ends, which is no failure.
      } catch (RuntimeException | Error e) {
        first = first == null ? e : first;
      }
    }
    return first;
  }

  /// Has the threads there are come to a gate.
  ///
  /// @return whether there is none
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
        LockSupport.unpark(thread); // an interrupt that has not returned may not have done so
      }
    }
    return left.isEmpty();
  }

  /// The last steps, as far as those before are done. An errand that is late holds up no end: its
  /// thread is no thread of the domain.
  ///
  /// @return whether the domain has ended
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

  /// Waits until the domain has ended and none of its threads is left.
  ///
  /// @return false if that took longer
  public boolean awaitEnd(Duration atMost) throws InterruptedException {
    return gone.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /// With the disposable threads, which may run code of the domain too.
  private List<Thread> accountable() {
    List<Thread> all = threads.accountable();
    all.addAll(closers.threads());
    return all;
  }

  /// Called by the warden every 20 ms.
  ///
  /// @return whether it is to call again
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
      yields = false; // not one that has been set since
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

  /// Called by the watcher of the carriers, and by threads that wake others: gates that do not look
  /// yet are told to by the warden.
  private void yieldSoon() {
    throttle.yieldSoon();
    yields = true;
    if (!watch.isWatching()) {
      Warden.watch(look);
    }
  }

  /// Why the domain was ended; empty while it is alive.
  public synchronized String endReason() {
    return reason;
  }

  /// Whether its threads wait at their gates, being over budget, as of the last sample. Costs two
  /// volatile reads, so it may be asked for each call.
  public boolean isHeld() {
    return held && alive;
  }

  /// What the domain is and has used.
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

  /// Kills the domain; see [#kill()].
  @Override
  public void close() {
    kill("it was closed");
  }
}
