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

/// What a domain has of its own where the JDK has one for the whole JVM. All methods may be called
/// by any thread.
public interface Home {
  /// Instead of `System.out`.
  PrintStream out();

  /// Instead of `System.err`.
  PrintStream err();

  /// Instead of `System.in`.
  InputStream in();

  /// Instead of `System.getProperties()`; a copy made when the domain was created.
  Properties properties();

  /// Instead of all properties at once.
  void properties(Properties properties);

  /// Instead of `Locale.getDefault()`.
  Locale locale();

  /// Instead of `TimeZone.getDefault()`.
  TimeZone timeZone();

  /// Instead of the loggers of the JVM.
  OwnLoggers loggers();

  /// Instead of the server of beans of the JVM.
  MBeanServer beans();

  /// Notes a pool of threads, whose idle threads come to no gate, or another object of the JDK with
  /// threads of its own: it is shut down at the end.
  void made(Object pool);

  /// Makes an HTTP client with threads of the domain, noted as by [#made].
  ///
  /// @param builder null for a new one
  Object client(@Nullable Object builder);

  /// Instead of `HttpServer.start()`.
  ///
  /// @throws IllegalStateException if the domain has as many threads as its budget allows
  void start(Object server);

  /// Instead of `HttpServer.stop(int)`.
  void stop(Object server, int seconds);

  /// Counts a thread that is about to start as one of the domain's.
  ///
  /// @throws IllegalStateException if the domain has as many threads as its budget allows
  void starting(Thread thread);

  /// Returns the threads that run and that the domain, or the JDK for it, has started.
  Set<Thread> visible();

  /// Returns those of [#visible] that are platform threads, or made where a program asked for one.
  Set<Thread> enumerable();

  /// Returns true if the domain may interrupt or change a thread: one of [#visible], a thread that
  /// has not begun or has ended, or the calling thread.
  boolean owns(Thread thread);

  /// The thread group of the domain.
  ThreadGroup group();

  /// The domain's own values of settings of the JVM, by the name of their setter.
  Map<String, Object> settings();

  /// Makes threads of the domain, daemons, counted when they are made: virtual ones where the JVM
  /// lets them have carriers.
  ThreadFactory threads();

  /// Instead of `new Thread`.
  Thread thread(
      @Nullable ThreadGroup group,
      @Nullable Runnable task,
      @Nullable String name,
      long stackBytes,
      boolean inherits);

  /// Builds virtual threads of the domain, which run on the carriers that all domains share.
  ///
  /// @throws UnsupportedOperationException if this JVM does not open `java.lang` to this module
  Thread.Builder.OfVirtual virtual();

  /// Counts each thread that a factory makes.
  ThreadFactory counted(ThreadFactory factory);

  /// Called before a socket, a channel of one or a selector is opened.
  ///
  /// @throws IllegalStateException if the domain has as many as its budget allows
  void opening();

  /// Called with what was opened. As [#opening], and closes it first.
  void opened(@Nullable Object socket);

  /// Notes what the JVM keeps for a class until that class is gone.
  void computing(ClassValue<?> value, Class<?> type);

  /// Instead of `ByteBuffer.allocateDirect`.
  ///
  /// @throws IllegalStateException if the domain's budget of native memory has no room
  ByteBuffer buffer(int bytes);

  /// Instead of the common pool.
  Executor executor();

  /// Instead of the delays of the common pool. Not counted in the budget of threads.
  ScheduledExecutorService delays();

  /// For handlers of asynchronous files that get no executor.
  ExecutorService handlers();

  /// A pool of the domain, for a group of asynchronous channels, which ends it.
  ExecutorService ofGroup(ExecutorService pool);

  /// A factory of the domain, for a group of asynchronous channels.
  ThreadFactory ofGroup(ThreadFactory factory);

  /// For asynchronous channels that are opened without a group.
  AsynchronousChannelGroup channels() throws IOException;

  /// Instead of the common pool, where a pool is asked for.
  ForkJoinPool pool();
}
