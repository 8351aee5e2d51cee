package sluice.domain.inside;

import java.io.IOException;
import java.lang.management.ThreadMXBean;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.spi.FileSystemProvider;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.InsteadOf.Kind;

/// Substitutes for calls that observe or change threads. A domain sees only its own threads. It can
/// neither interrupt nor change a thread of another party (a caller or the JDK) that it has a
/// reference to. Each domain defines a copy, like [Substitutes]. Any thread may call.
public final class ThreadSubstitutes {
  private static final Home HOME = Inside.home(ThreadSubstitutes.class);
  private static final String THREAD = "java/lang/Thread.<init>";
  private static final String THREADS = "java/lang/management/ThreadMXBean.";

  private ThreadSubstitutes() {}

  private static SecurityException refusal(String call, String of) {
    return new SecurityException(
        call
            + " of "
            + of
            + ". Why: it is not this domain's. Fix: keep a list of the threads that the domain"
            + " starts");
  }

  /// Returns the thread if the domain may interrupt or change it, and throws otherwise.
  private static Thread own(Thread thread, String call) {
    if (!HOME.owns(thread)) {
      throw refusal("Thread." + call, "a thread");
    }
    return thread;
  }

  /// Returns the group if it is the domain's or a subgroup of it, and throws otherwise.
  private static ThreadGroup own(ThreadGroup group, String call) {
    if (!HOME.group().parentOf(group)) {
      throw refusal("ThreadGroup." + call, "a group of threads");
    }
    return group;
  }

  @InsteadOf(value = THREAD, kind = Kind.CONSTRUCTOR)
  public static Thread thread() {
    return HOME.thread(null, null, null, 0, true);
  }

  @InsteadOf(value = THREAD, kind = Kind.CONSTRUCTOR)
  public static Thread thread(@Nullable Runnable task) {
    return HOME.thread(null, task, null, 0, true);
  }

  @InsteadOf(value = THREAD, kind = Kind.CONSTRUCTOR)
  public static Thread thread(@Nullable ThreadGroup group, @Nullable Runnable task) {
    return HOME.thread(group, task, null, 0, true);
  }

  @InsteadOf(value = THREAD, kind = Kind.CONSTRUCTOR)
  public static Thread thread(String name) {
    return thread(null, null, name, 0, true);
  }

  @InsteadOf(value = THREAD, kind = Kind.CONSTRUCTOR)
  public static Thread thread(@Nullable ThreadGroup group, String name) {
    return thread(group, null, name, 0, true);
  }

  @InsteadOf(value = THREAD, kind = Kind.CONSTRUCTOR)
  public static Thread thread(@Nullable Runnable task, String name) {
    return thread(null, task, name, 0, true);
  }

  @InsteadOf(value = THREAD, kind = Kind.CONSTRUCTOR)
  public static Thread thread(@Nullable ThreadGroup group, @Nullable Runnable task, String name) {
    return thread(group, task, name, 0, true);
  }

  @InsteadOf(value = THREAD, kind = Kind.CONSTRUCTOR)
  public static Thread thread(
      @Nullable ThreadGroup group, @Nullable Runnable task, String name, long stackBytes) {
    return thread(group, task, name, stackBytes, true);
  }

  /// Returns a thread in place of `new Thread`. It is virtual if it needs neither a group nor a
  /// large stack of its own. Fork-join workers and objects of subclasses of `Thread` stay platform
  /// threads.
  @InsteadOf(value = THREAD, kind = Kind.CONSTRUCTOR)
  public static Thread thread(
      @Nullable ThreadGroup group,
      @Nullable Runnable task,
      String name,
      long stackBytes,
      boolean inherits) {
    return HOME.thread(group, task, Objects.requireNonNull(name), stackBytes, inherits);
  }

  @InsteadOf("java/lang/Thread.getAllStackTraces")
  public static Map<Thread, StackTraceElement[]> traces() {
    Map<Thread, StackTraceElement[]> all = new HashMap<>();
    for (Thread each : HOME.enumerable()) {
      all.put(each, each.getStackTrace());
    }
    return all;
  }

  @InsteadOf("java/lang/Thread.activeCount")
  public static int count() {
    return HOME.enumerable().size();
  }

  @InsteadOf("java/lang/Thread.enumerate")
  public static int enumerate(Thread[] into) {
    return copy(HOME.enumerable(), into);
  }

  private static int copy(Set<Thread> from, Thread[] into) {
    int count = 0;
    for (Thread each : from) {
      if (count < into.length) {
        into[count++] = each;
      }
    }
    return count;
  }

  /// Returns the domain's group, also for a virtual thread: the JVM's group of virtual threads has
  /// threads of other parties.
  @InsteadOf(value = "java/lang/Thread.getThreadGroup", kind = Kind.RECEIVER)
  public static @Nullable ThreadGroup group(Thread thread) {
    ThreadGroup group = thread.getThreadGroup();
    return group == null || HOME.group().parentOf(group) ? group : HOME.group();
  }

  @InsteadOf(value = "java/lang/ThreadGroup.getParent", kind = Kind.RECEIVER)
  public static @Nullable ThreadGroup parent(ThreadGroup group) {
    ThreadGroup parent = group.getParent();
    return parent != null && HOME.group().parentOf(parent) ? parent : null;
  }

  @InsteadOf(value = "java/lang/ThreadGroup.activeCount", kind = Kind.RECEIVER)
  public static int count(ThreadGroup group) {
    return own(group, "activeCount").activeCount();
  }

  @InsteadOf(value = "java/lang/ThreadGroup.activeGroupCount", kind = Kind.RECEIVER)
  public static int groups(ThreadGroup group) {
    return own(group, "activeGroupCount").activeGroupCount();
  }

  @InsteadOf(value = "java/lang/ThreadGroup.enumerate", kind = Kind.RECEIVER)
  public static int enumerate(ThreadGroup group, Thread[] into) {
    return enumerate(group, into, true);
  }

  @InsteadOf(value = "java/lang/ThreadGroup.enumerate", kind = Kind.RECEIVER)
  public static int enumerate(ThreadGroup group, Thread[] into, boolean recurse) {
    own(group, "enumerate");
    Set<Thread> all = HOME.enumerable();
    all.removeIf(each -> {
      ThreadGroup of = group(each);
      return of == null || (recurse ? !group.parentOf(of) : !group.equals(of));
    });
    return copy(all, into);
  }

  @InsteadOf(value = "java/lang/ThreadGroup.enumerate", kind = Kind.RECEIVER)
  public static int enumerate(ThreadGroup group, ThreadGroup[] into) {
    return own(group, "enumerate").enumerate(into);
  }

  @InsteadOf(value = "java/lang/ThreadGroup.enumerate", kind = Kind.RECEIVER)
  public static int enumerate(ThreadGroup group, ThreadGroup[] into, boolean recurse) {
    return own(group, "enumerate").enumerate(into, recurse);
  }

  @InsteadOf(value = "java/lang/ThreadGroup.interrupt", kind = Kind.RECEIVER)
  public static void interrupt(ThreadGroup group) {
    own(group, "interrupt").interrupt();
  }

  @InsteadOf(value = "java/lang/ThreadGroup.list", kind = Kind.RECEIVER)
  public static void list(ThreadGroup group) {
    own(group, "list");
    for (Thread each : HOME.enumerable()) {
      HOME.out().println(each);
    }
  }

  @InsteadOf(value = "java/lang/ThreadGroup.setMaxPriority", kind = Kind.RECEIVER)
  public static void priority(ThreadGroup group, int priority) {
    own(group, "setMaxPriority").setMaxPriority(priority);
  }

  @SuppressWarnings("removal") // it is there to be called
  @InsteadOf(value = "java/lang/ThreadGroup.setDaemon", kind = Kind.RECEIVER)
  public static void daemon(ThreadGroup group, boolean daemon) {
    own(group, "setDaemon").setDaemon(daemon);
  }

  @InsteadOf("java/lang/Thread.dumpStack")
  public static void dump() {
    new Exception("Stack trace").printStackTrace(HOME.err());
  }

  @InsteadOf(value = "java/lang/Thread.interrupt", kind = Kind.RECEIVER)
  public static void interrupt(Thread thread) {
    own(thread, "interrupt").interrupt();
  }

  @InsteadOf(value = "java/lang/Thread.setName", kind = Kind.RECEIVER)
  public static void name(Thread thread, String name) {
    own(thread, "setName").setName(name);
  }

  @SuppressWarnings("ThreadPriorityCheck") // the domain's own decision
  @InsteadOf(value = "java/lang/Thread.setPriority", kind = Kind.RECEIVER)
  public static void priority(Thread thread, int priority) {
    own(thread, "setPriority").setPriority(priority);
  }

  @InsteadOf(value = "java/lang/Thread.setDaemon", kind = Kind.RECEIVER)
  public static void daemon(Thread thread, boolean daemon) {
    if (!own(thread, "setDaemon").isVirtual()) {
      thread.setDaemon(daemon);
    }
  }

  @InsteadOf(value = "java/lang/Thread.setContextClassLoader", kind = Kind.RECEIVER)
  public static void context(Thread thread, @Nullable ClassLoader loader) {
    own(thread, "setContextClassLoader").setContextClassLoader(loader);
  }

  /// Sets a handler, but not for the thread of a caller, which would run the handler when it ends.
  @InsteadOf(value = "java/lang/Thread.setUncaughtExceptionHandler", kind = Kind.RECEIVER)
  public static void handler(Thread thread, Thread.@Nullable UncaughtExceptionHandler handler) {
    if (!HOME.visible().contains(thread)) {
      own(thread, "setUncaughtExceptionHandler");
      if (thread == Thread.currentThread()) {
        throw refusal("Thread.setUncaughtExceptionHandler", "a thread");
      }
    }
    thread.setUncaughtExceptionHandler(handler);
  }

  /// Returns the thread's processor time. The JVM has no clock for a virtual thread; the answer is
  /// -1, as in a JVM without clocks.
  @InsteadOf(value = THREADS + "getCurrentThreadCpuTime", kind = Kind.RECEIVER)
  public static long time(ThreadMXBean bean) {
    return Thread.currentThread().isVirtual() ? -1 : bean.getCurrentThreadCpuTime();
  }

  @InsteadOf(value = THREADS + "getCurrentThreadUserTime", kind = Kind.RECEIVER)
  public static long userTime(ThreadMXBean bean) {
    return Thread.currentThread().isVirtual() ? -1 : bean.getCurrentThreadUserTime();
  }

  @InsteadOf(value = "java/util/concurrent/CompletableFuture.defaultExecutor", kind = Kind.RECEIVER)
  public static Executor executor(CompletableFuture<?> future) {
    return future.getClass().getClassLoader() instanceof InsideLoader
        ? future.defaultExecutor()
        : HOME.executor();
  }

  @InsteadOf("java/nio/channels/AsynchronousChannelGroup.withFixedThreadPool")
  public static AsynchronousChannelGroup group(int threads, ThreadFactory factory)
      throws IOException {
    return made(AsynchronousChannelGroup.withFixedThreadPool(threads, ofGroup(factory)));
  }

  @InsteadOf("java/nio/channels/AsynchronousChannelGroup.withCachedThreadPool")
  public static AsynchronousChannelGroup group(ExecutorService pool, int atFirst)
      throws IOException {
    return made(AsynchronousChannelGroup.withCachedThreadPool(ofGroup(pool), atFirst));
  }

  @InsteadOf("java/nio/channels/AsynchronousChannelGroup.withThreadPool")
  public static AsynchronousChannelGroup group(ExecutorService pool) throws IOException {
    return made(AsynchronousChannelGroup.withThreadPool(ofGroup(pool)));
  }

  @InsteadOf(
      value = "java/nio/channels/spi/AsynchronousChannelProvider.openAsynchronousChannelGroup",
      kind = Kind.RECEIVER)
  public static AsynchronousChannelGroup group(
      AsynchronousChannelProvider provider, int threads, ThreadFactory factory) throws IOException {
    return made(provider.openAsynchronousChannelGroup(threads, ofGroup(factory)));
  }

  @InsteadOf(
      value = "java/nio/channels/spi/AsynchronousChannelProvider.openAsynchronousChannelGroup",
      kind = Kind.RECEIVER)
  public static AsynchronousChannelGroup group(
      AsynchronousChannelProvider provider, ExecutorService pool, int atFirst) throws IOException {
    return made(provider.openAsynchronousChannelGroup(ofGroup(pool), atFirst));
  }

  private static ThreadFactory ofGroup(ThreadFactory factory) {
    return HOME.ofGroup(Objects.requireNonNull(factory));
  }

  private static ExecutorService ofGroup(ExecutorService pool) {
    return HOME.ofGroup(Objects.requireNonNull(pool));
  }

  private static AsynchronousChannelGroup made(AsynchronousChannelGroup group) {
    HOME.made(group);
    return group;
  }

  /// Opens an asynchronous channel. Channels without a group run their handlers in the domain's.
  @InsteadOf("java/nio/channels/AsynchronousSocketChannel.open")
  public static AsynchronousSocketChannel socket() throws IOException {
    return socket((AsynchronousChannelGroup) null);
  }

  @InsteadOf("java/nio/channels/AsynchronousSocketChannel.open")
  public static AsynchronousSocketChannel socket(@Nullable AsynchronousChannelGroup group)
      throws IOException {
    HOME.opening();
    return opened(AsynchronousSocketChannel.open(orOwn(group)));
  }

  @InsteadOf("java/nio/channels/AsynchronousServerSocketChannel.open")
  public static AsynchronousServerSocketChannel server() throws IOException {
    return server((AsynchronousChannelGroup) null);
  }

  @InsteadOf("java/nio/channels/AsynchronousServerSocketChannel.open")
  public static AsynchronousServerSocketChannel server(@Nullable AsynchronousChannelGroup group)
      throws IOException {
    HOME.opening();
    return opened(AsynchronousServerSocketChannel.open(orOwn(group)));
  }

  @InsteadOf(
      value = "java/nio/channels/spi/AsynchronousChannelProvider.openAsynchronousSocketChannel",
      kind = Kind.RECEIVER)
  public static AsynchronousSocketChannel socket(
      AsynchronousChannelProvider provider, @Nullable AsynchronousChannelGroup group)
      throws IOException {
    HOME.opening();
    return opened(provider.openAsynchronousSocketChannel(orOwn(provider, group)));
  }

  @InsteadOf(
      value =
          "java/nio/channels/spi/AsynchronousChannelProvider.openAsynchronousServerSocketChannel",
      kind = Kind.RECEIVER)
  public static AsynchronousServerSocketChannel server(
      AsynchronousChannelProvider provider, @Nullable AsynchronousChannelGroup group)
      throws IOException {
    HOME.opening();
    return opened(provider.openAsynchronousServerSocketChannel(orOwn(provider, group)));
  }

  private static AsynchronousChannelGroup orOwn(@Nullable AsynchronousChannelGroup group)
      throws IOException {
    return group == null ? HOME.channels() : group;
  }

  /// Returns the domain's group if none is given. Other providers accept only groups of their own.
  private static @Nullable AsynchronousChannelGroup orOwn(
      AsynchronousChannelProvider provider, @Nullable AsynchronousChannelGroup group)
      throws IOException {
    return provider == AsynchronousChannelProvider.provider() ? orOwn(group) : group;
  }

  /// Counts a channel that was opened as a socket of the domain, after [Home#opening].
  private static <T> T opened(T channel) {
    HOME.opened(channel);
    return channel;
  }

  @InsteadOf("java/nio/channels/AsynchronousFileChannel.open")
  public static AsynchronousFileChannel file(Path file, OpenOption... options) throws IOException {
    Set<OpenOption> set = new HashSet<>(Arrays.asList(options));
    return AsynchronousFileChannel.open(file, set, HOME.handlers());
  }

  @InsteadOf("java/nio/channels/AsynchronousFileChannel.open")
  public static AsynchronousFileChannel file(
      Path file,
      Set<? extends OpenOption> options,
      @Nullable ExecutorService executor,
      FileAttribute<?>... attributes)
      throws IOException {
    return AsynchronousFileChannel.open(file, options, orOwn(executor), attributes);
  }

  @InsteadOf(
      value = "java/nio/file/spi/FileSystemProvider.newAsynchronousFileChannel",
      kind = Kind.RECEIVER)
  public static AsynchronousFileChannel file(
      FileSystemProvider provider,
      Path file,
      Set<? extends OpenOption> options,
      @Nullable ExecutorService executor,
      FileAttribute<?>... attributes)
      throws IOException {
    return provider.newAsynchronousFileChannel(file, options, orOwn(executor), attributes);
  }

  private static ExecutorService orOwn(@Nullable ExecutorService executor) {
    return executor == null ? HOME.handlers() : executor;
  }
}
