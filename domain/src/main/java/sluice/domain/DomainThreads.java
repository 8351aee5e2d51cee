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
/// The threads that translated code starts are listed. Platform threads belong to a thread group of
/// the domain. The other members of the group were started by the JDK for its own purposes or for
/// one of its objects, as a result of a call by the domain. The domain is charged for their use,
/// and they count as threads of the domain while they run its code. However, the domain terminates
/// without them and then removes its context from them (see [JdkThreads]). The thread that runs
/// delayed tasks does not count against the budget.
///
/// Virtual threads run on the carriers that all domains share ([Carriers]). A platform thread that
/// the JDK starts on behalf of a virtual thread belongs to the JVM's group of virtual threads. An
/// inherited mark ([InheritedContext]) distinguishes it from threads of other parties.
///
/// An uncaught exception of the application is printed to the domain's own error stream, or passed
/// to the handler that the application has set. The exceptions that terminate the domain's threads
/// are not failures of the application, so they are passed to neither.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | listed, likePlatform, delaying | any | under the lock | under the lock |
/// | ended | the thread that ends the domain | volatile | volatile |
final class DomainThreads {
  /// The group of the thread that created the first domain.
  static final ThreadGroup HOST = hostGroup();

  /// The JVM's group of virtual threads. Platform threads that virtual threads have started are
  /// members.
  private static final ThreadGroup VIRTUAL = groupOfVirtual();

  /// The stack size of carriers in bytes, which is the JVM's default.
  private static final long CARRIER_STACK = 1 << 20;

  private final String domain;
  private final int limit;
  private final Group group;
  private final Set<Thread> listed = threads();
  private final Set<Thread> delaying = threads();

  /// The virtual threads that appear to a program as platform threads. All have the JDK's class.
  private final Set<Thread> likePlatform = Collections.newSetFromMap(new WeakHashMap<>());

  /// The mark that threads of the domain pass on to the threads they start.
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

  /// Returns a new set that calls no method of its threads, which may be code of the domain.
  private static Set<Thread> threads() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  /// The thread group of a domain, which prints uncaught exceptions to the domain's error stream.
  ///
  /// After the domain has ended, threads of the JDK may still be members, so the group then holds
  /// no reference to the domain.
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

    /// Returns the stack trace as text. It is not printed directly, because the stream is guarded
    /// by a lock of the host, and a `toString` method of the domain may throw or never return.
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

  /// The domain as its threads see it. Any thread may call.
  interface Owner {
    /// Runs a task that may run code of the domain in a disposable thread.
    void aside(Runnable task);

    /// Requests the domain to yield, because other threads wait for a processor it has used for
    /// long.
    void yieldSoon();

    /// Returns true if no thread of the domain has yielded since the request.
    boolean isToYield();

    /// Reports a failure of the domain's scheduler, after which the domain must be terminated.
    void schedulerFailed(Throwable problem);

    /// Creates the domain's scheduler. This runs code of the domain.
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

  /// Reports an exception thrown by a handler of a virtual thread.
  private void uncaught(Throwable problem) {
    group.uncaughtException(Thread.currentThread(), problem);
  }

  void loader(ClassLoader defining) {
    loader = defining;
  }

  /// Starts the thread of the domain's scheduler, if there is one. The thread counts as a thread of
  /// the domain.
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

  /// Interrupts a thread of an ending domain. This may run code of the domain, for example when it
  /// closes a channel.
  static void interrupt(Thread thread) {
    if (thread.isVirtual()) {
      VirtualThreads.interrupt(thread);
    } else if (thread instanceof OwnThread own) {
      own.sluiceInterrupt();
    } else {
      thread.interrupt();
    }
  }

  /// Replaces the thread's handler of uncaught exceptions with the group.
  private void handOver(Thread thread) {
    if (thread instanceof OwnThread own) {
      own.sluiceHandler(group);
    } else {
      thread.setUncaughtExceptionHandler(group);
    }
  }

  /// Counts a thread that is about to start.
  ///
  /// @throws IllegalStateException if the thread budget is exhausted, if the domain has ended, or
  ///   if a cooperative domain starts a platform thread
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

  /// Checks the budget before a thread starts. This includes threads that the JDK starts for an
  /// object of the domain.
  ///
  /// @throws IllegalStateException if the thread budget is exhausted, or the domain has ended
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

  /// Returns true if the domain has started the thread.
  synchronized boolean has(Thread thread) {
    return listed.contains(thread);
  }

  /// Returns true if the domain may interrupt or change a thread. This applies to its own threads,
  /// including the threads started for it by the JDK, to threads that have not started or have
  /// terminated, and to the calling thread.
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

  /// Returns true if the group is the domain's group or a subgroup of it, or null because its
  /// thread has terminated.
  boolean isBelow(@Nullable ThreadGroup at) {
    return at == null || group.parentOf(at);
  }

  ThreadGroup group() {
    return group;
  }

  DomainPools pools() {
    return pools;
  }

  /// Returns the threads that are visible to the domain, which are its own threads and the threads
  /// started for it by the JDK.
  synchronized Set<Thread> visible() {
    Set<Thread> result = running();
    result.addAll(ofJdk());
    result.removeIf(thread -> state(thread) == Thread.State.NEW);
    return result;
  }

  /// Returns the threads of [#visible] that a program finds when it enumerates platform threads.
  synchronized Set<Thread> enumerable() {
    Set<Thread> result = visible();
    result.removeIf(thread -> thread.isVirtual() && !likePlatform.contains(thread));
    return result;
  }

  /// Returns a counted, unstarted daemon thread of the domain.
  ///
  /// @param name the thread's name, or null to generate one
  /// @param inherits true if the thread inherits the inheritable thread locals of the calling
  ///   thread, which must then be a thread of the domain because their `childValue` methods are
  ///   code of the domain
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

  /// Creates a thread in place of `new Thread`. The thread is virtual if there are carriers. It is
  /// a platform thread if it requests a stack larger than a carrier's, or belongs to a group
  /// created by the domain, because thread groups only list platform threads.
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

  /// Runs a JDK call that starts a thread and waits for it. The call is made in a platform thread
  /// of the domain's group, because the new thread only inherits the group.
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

  /// Returns true if threads of the host may not run code of the domain, because only one of its
  /// threads may run at a time.
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

  /// Returns a factory as [#counted] does, for an asynchronous channel group. The channel group
  /// replaces each thread that a handler has terminated, and keeps its descriptors if it cannot.
  /// Therefore the factory creates threads of the host after the domain has ended.
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

  /// Runs a task that may run code of the domain in a disposable thread.
  void aside(Runnable task) {
    owner.aside(task);
  }

  /// @throws UnsupportedOperationException if this JVM does not allow custom carriers
  Thread.Builder.OfVirtual virtual() {
    return VirtualThreads.on(queue == null ? Runnable::run : queue); // throws in the first case
  }

  /// Returns the platform threads that are carrying virtual threads of the domain.
  List<Thread> carrying() {
    return queue == null ? List.of() : Carriers.shared().running(queue);
  }

  /// Returns the processor time that the virtual threads have used, in nanoseconds.
  long carriedNanos() {
    return queue == null ? 0 : queue.cpuNanos();
  }

  /// Returns the number of bytes that the virtual threads have allocated.
  long carriedBytes() {
    return queue == null ? 0 : queue.allocatedBytes();
  }

  /// Makes a worker for the domain's replacement of the common pool.
  ForkJoinWorkerThread worker(ForkJoinPool owner) {
    ForkJoinWorkerThread thread = new ForkJoinWorkerThread(group, owner, false) {};
    thread.setDaemon(true);
    thread.setContextClassLoader(loader);
    starting(thread);
    return thread;
  }

  /// Creates a thread like the internal threads of the JDK, which are in the domain's group but are
  /// not listed.
  Thread ofJdk(Runnable task) {
    return ofGroup("domain-" + domain + "-jdk", task, false);
  }

  /// Makes the thread that runs delayed tasks, which the budget does not count.
  synchronized Thread delaying(Runnable task) {
    Thread thread = new Thread(group, task, "domain-" + domain + "-delays", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(loader);
    delaying.removeIf(each -> each.getState() == Thread.State.TERMINATED);
    delaying.add(thread);
    return thread;
  }

  /// Returns the threads that are running domain code or may do so soon, except for the threads
  /// that do not count against the budget.
  synchronized Set<Thread> running() {
    listed.removeIf(this::isOver);
    Set<Thread> result = threads();
    result.addAll(listed);
    return result;
  }

  /// Returns the number of platform threads among [#running].
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

  /// Returns the threads that the JDK started on behalf of the domain: unlisted members of its
  /// group, and platform threads with its mark.
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

  /// Returns the platform threads whose processor and memory use is charged to the domain.
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

  /// Refuses new threads. From now on, neither output of the domain nor an exception that ends one
  /// of its threads is printed. This must be called before the gates close: a handler of the domain
  /// would end at its first gate, and the JVM would print that.
  void refuse() {
    ended = true;
    if (scheduler != null) {
      scheduler.end();
    }
    group.end();
    running().forEach(this::handOver);
    ofJdk().forEach(this::handOver);
  }

  /// Returns the threads of the JDK that are running code of the domain.
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

  /// Removes the domain's context from threads of the JDK that live on. Called after the end.
  void release() {
    for (Thread each : ofJdk()) {
      InheritedContext.release(each, loader);
    }
    // The JDK starts threads in these groups for virtual threads of the domain, and for threads of
    // the host that call it. Threads of a JDK-internal class do not belong to the host.
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

  /// Returns the threads that must be woken and awaited at the end of the domain.
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
