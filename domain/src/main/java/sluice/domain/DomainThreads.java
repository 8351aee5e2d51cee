package sluice.domain;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import sluice.domain.carrier.Carriers;
import sluice.domain.carrier.LocalScheduler;
import sluice.domain.carrier.RunQueue;
import sluice.domain.inside.Death;
import sluice.domain.inside.OwnThread;
import sluice.domain.schedule.Scheduler;
import sluice.sys.threads.HostThread;
import sluice.sys.threads.InheritedContext;
import sluice.sys.threads.Uninterrupted;
import sluice.sys.threads.VirtualThreads;

/// The threads of one domain. Any thread may call.
///
/// Threads that translated code starts are listed. Platform threads are in a thread group of the
/// domain. What else is in that group, the JDK has started for itself or for an object of its own,
/// because the domain called it: its use is the domain's, and it counts as long as it runs code of
/// the domain, but the domain ends without it, and takes its context from it then (see
/// [JdkThreads]). One thread that the budget does not count ends delays.
///
/// Virtual threads run on the carriers that all domains share ([Carriers]). A platform thread that
/// the JDK starts for one of them is in the JVM's group of virtual threads, and told from those of
/// other parties by a mark that it inherits ([InheritedContext]).
///
/// What an application leaves uncaught is printed in the domain's own error stream, or goes to the
/// handler that it set. What the end throws into its threads is not the application's failure:
/// neither gets it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | listed, likePlatform, delaying | any | under the lock | under the lock |
/// | ended | the thread that ends the domain | volatile | volatile |
final class DomainThreads {
  /// The group of the thread that made the first domain.
  static final ThreadGroup HOST = hostGroup();

  /// The JVM's group of virtual threads, in which are platform threads that those have started.
  private static final ThreadGroup VIRTUAL = groupOfVirtual();

  /// Stacks of carriers, in bytes: the JVM's default.
  private static final long CARRIER_STACK = 1 << 20;

  private final String domain;
  private final int limit;
  private final Group group;
  private final Set<Thread> listed = threads();
  private final Set<Thread> delaying = threads();

  /// Virtual threads that a program sees as it sees platform threads; all are of the JDK's class.
  private final Set<Thread> likePlatform = Collections.newSetFromMap(new WeakHashMap<>());

  /// What threads of the domain hand down to those that they start.
  private final Object mark = new Object();

  private final @Nullable RunQueue queue;
  private final boolean isCooperative;
  private final @Nullable LocalScheduler scheduler;
  private final Owner owner;
  private final AtomicInteger numbers = new AtomicInteger();
  private final DomainPools pools = new DomainPools(this);
  private @Nullable ClassLoader loader;
  private volatile boolean ended;

  private static ThreadGroup hostGroup() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group instanceof Group && group.getParent() != null) {
      group = group.getParent();
    }
    return group;
  }

  private static ThreadGroup groupOfVirtual() {
    return Objects.requireNonNull(Thread.ofVirtual().unstarted(() -> {}).getThreadGroup());
  }

  /// A set that calls no method of a thread, which may be of the domain.
  private static Set<Thread> threads() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  /// Says what ends a thread of the domain, in the domain's own error stream.
  ///
  /// A thread of the JDK may be in it after the end of the domain: it holds nothing of that then.
  private static final class Group extends ThreadGroup {
    private volatile DomainConfig.@Nullable Streams streams;

    Group(String name, DomainConfig.Streams streams) {
      super(HOST, name);
      this.streams = streams;
    }

    void end() {
      streams = null;
    }

    @Override
    public void uncaughtException(Thread thread, Throwable problem) {
      DomainConfig.Streams to = streams;
      if (to != null && !(problem instanceof Death)) {
        to.err().print("Exception in thread \"" + thread.getName() + "\" " + trace(problem));
      }
    }

    /// Not to the stream itself, whose lock is the host's: a toString may not end, or throw.
    private static String trace(Throwable problem) {
      StringWriter text = new StringWriter();
      try {
        problem.printStackTrace(new PrintWriter(text));
        return text.toString();
      } catch (RuntimeException | Error e) {
        return problem.getClass().getName() + System.lineSeparator();
      }
    }
  }

  /// The domain, as its threads need it. Any thread may call.
  interface Owner {
    /// Runs a task that may run code of the domain, in a disposable thread.
    void aside(Runnable task);

    /// Told while others wait for a processor that the domain has had for long.
    void yieldSoon();

    /// Returns true if no thread of the domain has yielded since.
    boolean isToYield();

    /// Told that the scheduler of the domain has failed: the domain is to end.
    void schedulerFailed(Throwable problem);

    /// Makes the domain's scheduler. Code of the domain.
    Scheduler scheduler(String type) throws Exception;
  }

  DomainThreads(DomainConfig config, Owner owner) {
    this.owner = owner;
    domain = config.name();
    limit = config.budget().threads();
    group = new Group("domain-" + domain, config.streams());
    isCooperative = config.scheduling().isCooperative();
    RunQueue.Guest guest =
        new RunQueue.Guest() {
          @Override
          public void escaped(Throwable problem) {
            owner.aside(() -> uncaught(problem));
          }

          @Override
          public void yieldSoon() {
            owner.yieldSoon();
          }

          @Override
          public boolean isToYield() {
            return owner.isToYield();
          }

          @Override
          public void schedulerFailed(Throwable problem) {
            owner.schedulerFailed(problem);
          }
        };
    queue =
        Carriers.isAvailable()
            ? Carriers.shared()
                .queue("domain " + domain, config.scheduling().terms(config.budget()), guest)
            : null;
    String type = config.scheduling().scheduler();
    scheduler =
        queue == null || type == null ? null : queue.scheduleBy(() -> owner.scheduler(type));
    if (queue == null && !config.scheduling().equals(Scheduling.DEFAULT)) {
      throw new IllegalArgumentException(
          "domain "
              + domain
              + " has scheduling of its own. Why: this JVM does not let a scheduler be given. Fix:"
              + " start Java with "
              + VirtualThreads.OPTION
              + ", as ./sluice does");
    }
  }

  /// What a handler of a virtual thread threw, of any class.
  private void uncaught(Throwable problem) {
    group.uncaughtException(Thread.currentThread(), problem);
  }

  void loader(ClassLoader defining) {
    loader = defining;
  }

  /// Starts the thread of the domain's scheduler, if it has one: it counts as one of the domain's.
  void begin() {
    if (scheduler != null) {
      scheduler.thread().setContextClassLoader(loader);
      starting(scheduler.thread());
      scheduler.thread().start();
    }
  }

  private static Thread.UncaughtExceptionHandler handler(Thread thread) {
    return thread instanceof OwnThread own
        ? own.sluiceHandler()
        : thread.getUncaughtExceptionHandler();
  }

  private static Thread.State state(Thread thread) {
    return thread instanceof OwnThread own ? own.sluiceState() : thread.getState();
  }

  /// Has a thread of a domain that ends come back from its wait. May run code of the domain, as
  /// that which closes its channel.
  static void interrupt(Thread thread) {
    if (thread.isVirtual()) {
      VirtualThreads.interrupt(thread);
    } else if (thread instanceof OwnThread own) {
      own.sluiceInterrupt();
    } else {
      thread.interrupt();
    }
  }

  /// Has what ends a thread come to the group, whatever handler it had.
  private void handOver(Thread thread) {
    if (thread instanceof OwnThread own) {
      own.sluiceHandler(group);
    } else {
      thread.setUncaughtExceptionHandler(group);
    }
  }

  /// Counts a thread that is about to start.
  ///
  /// @throws IllegalStateException if the budget has no thread left, the domain has ended, or it is
  ///   a platform thread of a cooperative domain
  void starting(Thread thread) {
    if (isCooperative && !thread.isVirtual()) {
      throw new IllegalStateException(
          "domain "
              + domain
              + " starts a platform thread. Why: its scheduling is cooperative, and such a thread"
              + " runs beside the others. Fix: Thread.ofVirtual(), or scheduling = \"preemptive\"");
    }
    boolean isNew = count(thread);
    if (isNew) {
      InheritedContext.mark(thread, mark);
    }
    if (isNew && scheduler != null && thread.isVirtual()) {
      scheduler.starting(thread);
    }
    if (isNew && thread.getThreadGroup() != group && handler(thread) == thread.getThreadGroup()) {
      handOver(thread);
    }
  }

  private synchronized boolean count(Thread thread) {
    if (listed.contains(thread)) {
      return false;
    }
    requireRoom();
    listed.add(thread);
    return true;
  }

  /// Called before a thread starts, also before the JDK starts a thread for an object of the
  /// domain.
  ///
  /// @throws IllegalStateException if the budget has no thread left, or the domain has ended
  synchronized void requireRoom() {
    Set<Thread> all = running();
    all.addAll(ofJdk());
    if (ended || all.size() >= limit) {
      throw new IllegalStateException(
          "domain "
              + domain
              + " starts a thread. Why: "
              + (ended ? "the domain has ended" : "its budget is " + limit + " threads")
              + ". Fix: "
              + (ended ? "create it again" : "let threads end, or raise the budget: threads=N"));
    }
  }

  /// Returns true if the domain has started a thread.
  synchronized boolean has(Thread thread) {
    return listed.contains(thread);
  }

  /// Returns true if the domain may interrupt or change a thread: its own, also a thread that the
  /// JDK started for it; a thread that has not begun or has ended; and the calling thread.
  boolean owns(Thread thread) {
    if (thread == Thread.currentThread() || thread instanceof OwnThread) {
      return true;
    }
    return has(thread)
        || thread.getState() == Thread.State.NEW
        || isBelow(thread.getThreadGroup())
        || isOfJdk(thread);
  }

  /// Returns true for a platform thread that the JDK started for a virtual thread of the domain.
  private boolean isOfJdk(Thread thread) {
    return thread.getThreadGroup() == VIRTUAL
        && !thread.isVirtual()
        && InheritedContext.isMarked(thread, mark);
  }

  /// Returns true if a group is the domain's, is below it, or belonged to a thread that has ended.
  boolean isBelow(@Nullable ThreadGroup at) {
    return at == null || group.parentOf(at);
  }

  ThreadGroup group() {
    return group;
  }

  DomainPools pools() {
    return pools;
  }

  /// Returns the threads that the domain may see: its own, also the threads that the JDK started
  /// for it.
  synchronized Set<Thread> visible() {
    Set<Thread> result = running();
    result.addAll(ofJdk());
    result.removeIf(thread -> state(thread) == Thread.State.NEW);
    return result;
  }

  /// Returns the threads of [#visible] that a program finds where it asks for platform threads.
  synchronized Set<Thread> enumerable() {
    Set<Thread> result = visible();
    result.removeIf(thread -> thread.isVirtual() && !likePlatform.contains(thread));
    return result;
  }

  /// A daemon of the domain, counted, not started.
  ///
  /// @param inherits whether it gets inheritable values of the thread that makes it, which are to
  ///   be the domain's: their `childValue` is code
  Thread make(@Nullable String name, Runnable task, boolean inherits) {
    String shown = name == null ? "domain-" + domain + "-" + numbers.incrementAndGet() : name;
    Thread thread =
        queue == null
            ? ofGroup(shown, task, inherits)
            : likePlatform(
                virtual().name(shown).inheritInheritableThreadLocals(inherits).unstarted(task));
    thread.setContextClassLoader(loader);
    starting(thread);
    return thread;
  }

  private Thread ofGroup(String name, Runnable task, boolean inherits) {
    Thread thread = new Thread(group, task, name, 0, inherits);
    thread.setDaemon(true);
    return thread;
  }

  private synchronized Thread likePlatform(Thread thread) {
    likePlatform.add(thread);
    return thread;
  }

  /// Instead of `new Thread`: a virtual thread, where there are carriers, unless it is to have a
  /// stack larger than theirs or is in a group that the domain has made, whose methods find only
  /// platform threads.
  Thread plain(
      @Nullable ThreadGroup of,
      @Nullable Runnable task,
      @Nullable String name,
      long stackBytes,
      boolean inherits) {
    String shown = name == null ? "Thread-" + numbers.incrementAndGet() : name;
    if (queue == null || stackBytes > CARRIER_STACK || (of != null && of != group)) {
      return new Thread(of, task, shown, stackBytes, inherits);
    }
    Runnable run = task == null ? () -> {} : task;
    return likePlatform(
        virtual().name(shown).inheritInheritableThreadLocals(inherits).unstarted(run));
  }

  /// Runs a call of the JDK that starts a thread which inherits nothing but its group, and waits
  /// for that.
  void onPlatform(Runnable call) {
    if (!Thread.currentThread().isVirtual()) {
      call.run();
      return;
    }
    FutureTask<?> task = new FutureTask<>(call, null);
    Thread thread = ofGroup("domain-" + domain + "-starts", task, false);
    thread.setContextClassLoader(loader);
    thread.start();
    Uninterrupted.await(thread::join);
    if (task.state() == Future.State.FAILED) {
      Throwable failed = task.exceptionNow();
      switch (failed) {
        case Error error -> throw error;
        default -> throw (RuntimeException) failed;
      }
    }
  }

  /// Returns true if threads of the host may not run code of the domain: one thread runs at a time.
  boolean isCooperative() {
    return isCooperative;
  }

  ThreadFactory counted(ThreadFactory factory) {
    return task -> {
      Thread thread = factory.newThread(task);
      starting(thread);
      return thread;
    };
  }

  /// As [#counted], for a group of asynchronous channels. That replaces each thread that a handler
  /// ended, and keeps its descriptors if it cannot: after the end of the domain, it has threads of
  /// the host.
  ThreadFactory ofGroup(ThreadFactory factory) {
    ThreadFactory counted = counted(factory);
    return task -> {
      try {
        if (!ended) {
          return counted.newThread(task);
        }
      } catch (RuntimeException | Error e) {
        if (!ended) {
          throw e;
        }
      }
      Thread last = HostThread.daemon("close-" + domain, task);
      last.setUncaughtExceptionHandler(group);
      return last;
    };
  }

  /// Runs a task that may run code of the domain, in a disposable thread.
  void aside(Runnable task) {
    owner.aside(task);
  }

  /// @throws UnsupportedOperationException if this JVM does not let threads have carriers
  Thread.Builder.OfVirtual virtual() {
    return VirtualThreads.on(queue == null ? Runnable::run : queue); // throws in the first case
  }

  /// The platform threads that carry virtual threads of the domain now.
  List<Thread> carrying() {
    return queue == null ? List.of() : Carriers.shared().running(queue);
  }

  /// What the virtual threads have used of processors.
  long carriedNanos() {
    return queue == null ? 0 : queue.cpuNanos();
  }

  /// What the virtual threads have allocated.
  long carriedBytes() {
    return queue == null ? 0 : queue.allocatedBytes();
  }

  /// Makes a worker of the domain's pool in place of the common one.
  ForkJoinWorkerThread worker(ForkJoinPool owner) {
    ForkJoinWorkerThread thread = new ForkJoinWorkerThread(group, owner, false) {};
    thread.setDaemon(true);
    thread.setContextClassLoader(loader);
    starting(thread);
    return thread;
  }

  /// Makes a thread as the JDK starts it for itself: of the group, and not listed.
  Thread ofJdk(Runnable task) {
    return ofGroup("domain-" + domain + "-jdk", task, false);
  }

  /// Makes the thread that ends delays, which the budget does not count.
  synchronized Thread delaying(Runnable task) {
    Thread thread = new Thread(group, task, "domain-" + domain + "-delays", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(loader);
    delaying.removeIf(each -> each.getState() == Thread.State.TERMINATED);
    delaying.add(thread);
    return thread;
  }

  /// Threads that run domain code now or may soon, without those that the budget does not count.
  synchronized Set<Thread> running() {
    listed.removeIf(this::isOver);
    Set<Thread> result = threads();
    result.addAll(listed);
    return result;
  }

  /// How many of [#running] are platform threads.
  int platformThreads() {
    return (int) running().stream().filter(thread -> !thread.isVirtual()).count();
  }

  private boolean isOver(Thread thread) {
    if (state(thread) != Thread.State.TERMINATED) {
      return false;
    }
    if (scheduler != null && thread.isVirtual()) {
      scheduler.ended(thread);
    }
    return true;
  }

  /// Threads that the domain has not started: of its group, and those with its mark.
  private synchronized Set<Thread> ofJdk() {
    Set<Thread> result = threads();
    Collections.addAll(result, members(group));
    if (queue != null) {
      for (Thread each : members(VIRTUAL)) {
        if (isOfJdk(each)) {
          result.add(each);
        }
      }
    }
    result.removeAll(delaying);
    result.removeAll(listed);
    return result;
  }

  private static Thread[] members(ThreadGroup group) {
    Thread[] found = new Thread[group.activeCount() + 16];
    return Arrays.copyOf(found, group.enumerate(found));
  }

  /// Platform threads whose use of processors and memory is that of the domain.
  synchronized List<Thread> accountable() {
    List<Thread> result = new ArrayList<>(delaying);
    result.addAll(ofJdk());
    for (Thread thread : running()) {
      if (!thread.isVirtual()) {
        result.add(thread);
      }
    }
    return result;
  }

  boolean hasEnded() {
    return ended;
  }

  /// Refuses new threads; from now on, nothing that the domain prints or that ends one of its
  /// threads is printed. To be called before its gates close: a handler of the domain would end at
  /// its first gate, and the JVM prints that.
  void refuse() {
    ended = true;
    if (scheduler != null) {
      scheduler.end();
    }
    group.end();
    running().forEach(this::handOver);
    ofJdk().forEach(this::handOver);
  }

  /// Threads of the JDK that run code of the domain now.
  private List<Thread> visitors() {
    ClassLoader of = loader;
    String name = of == null ? null : of.getName();
    List<Thread> result = new ArrayList<>();
    for (Thread each : ofJdk()) {
      for (StackTraceElement frame : each.getStackTrace()) {
        if (name != null && name.equals(frame.getClassLoaderName())) {
          result.add(each);
          break;
        }
      }
    }
    return result;
  }

  /// Called after the end: takes the context of the domain from threads of the JDK that live on.
  void release() {
    for (Thread each : ofJdk()) {
      InheritedContext.release(each, loader);
    }
    // Where the JDK starts threads for virtual threads of the domain, and for threads of the host
    // that call it: those of a class of its own are not the host's.
    ThreadGroup top = HOST;
    while (top.getParent() != null) {
      top = top.getParent();
    }
    for (Thread each : members(top)) {
      Class<?> type = each.getClass();
      if (type != Thread.class
          && type.getClassLoader() == null
          && each.getContextClassLoader() == loader) {
        InheritedContext.release(each, loader);
      }
    }
  }

  /// The threads that the end has to wake and has to wait for.
  synchronized List<Thread> left() {
    List<Thread> left = new ArrayList<>(running());
    left.removeIf(thread -> state(thread) == Thread.State.NEW);
    left.addAll(visitors());
    for (Thread each : delaying) {
      if (each.isAlive()) {
        left.add(each);
      }
    }
    return left;
  }
}
