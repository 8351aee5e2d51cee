package sluice.domain.inside;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import javax.management.MBeanServer;
import org.jspecify.annotations.Nullable;

/// The domain-specific replacements of objects and operations that the JDK provides once for the
/// whole JVM. Any thread may call all methods.
public interface Home {
  /// Replaces `System.out`.
  PrintStream out();

  /// Replaces `System.err`.
  PrintStream err();

  /// Replaces `System.in`.
  InputStream in();

  /// Replaces `System.getProperties()`. Returns a copy that was created together with the domain.
  Properties properties();

  /// Replaces all properties at once.
  void properties(Properties properties);

  /// Replaces `Locale.getDefault()`.
  Locale locale();

  /// Replaces `TimeZone.getDefault()`.
  TimeZone timeZone();

  /// Replaces the loggers of the JVM.
  OwnLoggers loggers();

  /// Replaces the MBean server of the JVM.
  MBeanServer beans();

  /// Records a thread pool, whose idle threads reach no gate, or another JDK object with its own
  /// threads. It is shut down when the domain is terminated.
  void made(Object pool);

  /// Creates an HTTP client with threads of the domain, and records it as [#made] does.
  ///
  /// @param builder the builder, or null to use a new one
  Object client(@Nullable Object builder);

  /// Replaces `HttpServer.start()`.
  ///
  /// @throws IllegalStateException if the thread budget is exhausted
  void start(Object server);

  /// Replaces `HttpServer.stop(int)`.
  void stop(Object server, int seconds);

  /// Counts a thread that is about to start as a thread of the domain.
  ///
  /// @throws IllegalStateException if the thread budget is exhausted
  void starting(Thread thread);

  /// Returns the running threads that were started by the domain, or by the JDK on its behalf.
  Set<Thread> visible();

  /// Returns the platform threads of [#visible], and the virtual threads that replace platform
  /// threads.
  Set<Thread> enumerable();

  /// Returns true if the domain may interrupt or change a thread. This applies to the threads of
  /// [#visible], to threads that have not started or have terminated, and to the calling thread.
  boolean owns(Thread thread);

  /// Returns the thread group of the domain.
  ThreadGroup group();

  /// Returns the domain's own values of JVM settings, by the name of their setter.
  Map<String, Object> settings();

  /// Returns a factory of daemon threads of the domain, which are counted when they are created.
  /// They are virtual if the JVM allows virtual threads to have custom carriers.
  ThreadFactory threads();

  /// Replaces `new Thread`.
  Thread thread(
      @Nullable ThreadGroup group,
      @Nullable Runnable task,
      @Nullable String name,
      long stackBytes,
      boolean inherits);

  /// Returns a builder of virtual threads of the domain, which run on the carriers that all domains
  /// share.
  ///
  /// @throws UnsupportedOperationException if this JVM does not open `java.lang` to this module
  Thread.Builder.OfVirtual virtual();

  /// Returns a factory that counts each thread created by the given factory.
  ThreadFactory counted(ThreadFactory factory);

  /// Checks the budget before a socket, a socket channel or a selector is opened.
  ///
  /// @throws IllegalStateException if the socket budget is exhausted
  void opening();

  /// Counts an object that was opened. If this exceeds the budget, the object is closed and an
  /// exception is thrown as by [#opening].
  void opened(@Nullable Object socket);

  /// Records that the JVM keeps a value for a class until the class is unloaded.
  void computing(ClassValue<?> value, Class<?> type);

  /// Replaces `ByteBuffer.allocateDirect`.
  ///
  /// @throws IllegalStateException if the domain's budget of native memory is exhausted
  ByteBuffer buffer(int bytes);

  /// Replaces the common pool as the default executor.
  Executor executor();

  /// Replaces the common pool's timer for delayed tasks. Its thread is not counted in the budget.
  ScheduledExecutorService delays();

  /// Returns the executor for handlers of asynchronous files that are opened without one.
  ExecutorService handlers();

  /// Wraps a pool of the domain for an asynchronous channel group, which shuts it down.
  ExecutorService ofGroup(ExecutorService pool);

  /// Wraps a thread factory of the domain for an asynchronous channel group.
  ThreadFactory ofGroup(ThreadFactory factory);

  /// Returns the group of asynchronous channels that are opened without one.
  AsynchronousChannelGroup channels() throws IOException;

  /// Replaces `ForkJoinPool.commonPool()`.
  ForkJoinPool pool();
}
