package sluice.domain.inside;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.time.ZoneId;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.Spliterator;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.Gatherer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.InsteadOf.Kind;

/// The methods that translated code calls instead of the JDK's. Each domain defines a copy of this
/// class, in which `java.util.regex` is replaced by the relocated package. The copy finds the
/// domain by its loader. Any thread may call.
public final class Substitutes {
  private static final Home HOME = Inside.home(Substitutes.class);
  private static final String REGEX_SIGNS = ".$|()[{^?*+\\";

  private Substitutes() {}

  /// Returns the domain's own output stream.
  @InsteadOf(value = "java/lang/System.out", kind = Kind.FIELD)
  public static PrintStream out() {
    return HOME.out();
  }

  @InsteadOf(value = "java/lang/System.err", kind = Kind.FIELD)
  public static PrintStream err() {
    return HOME.err();
  }

  @InsteadOf(value = "java/lang/System.in", kind = Kind.FIELD)
  public static InputStream in() {
    return HOME.in();
  }

  @InsteadOf(value = "java/lang/Throwable.printStackTrace", kind = Kind.RECEIVER)
  public static void print(Throwable thrown) {
    thrown.printStackTrace(HOME.err());
  }

  /// Returns a property of the domain.
  @InsteadOf("java/lang/System.getProperty")
  public static @Nullable String property(String key) {
    return HOME.properties().getProperty(checked(key));
  }

  @InsteadOf("java/lang/System.getProperty")
  public static @Nullable String property(String key, @Nullable String otherwise) {
    String value = HOME.properties().getProperty(checked(key));
    return value == null ? otherwise : value;
  }

  @InsteadOf("java/lang/System.setProperty")
  public static @Nullable String setProperty(String key, String value) {
    return (String) HOME.properties().setProperty(checked(key), value);
  }

  @InsteadOf("java/lang/System.clearProperty")
  public static @Nullable String clearProperty(String key) {
    return (String) HOME.properties().remove(checked(key));
  }

  @InsteadOf("java/lang/System.getProperties")
  public static Properties properties() {
    return HOME.properties();
  }

  @InsteadOf("java/lang/System.setProperties")
  public static void setProperties(Properties properties) {
    HOME.properties(properties);
  }

  @InsteadOf("java/lang/Boolean.getBoolean")
  public static boolean booleanProperty(@Nullable String key) {
    return key != null && !key.isEmpty() && Boolean.parseBoolean(property(key));
  }

  @InsteadOf("java/lang/Integer.getInteger")
  public static @Nullable Integer integer(@Nullable String key) {
    return integer(key, null);
  }

  @InsteadOf("java/lang/Integer.getInteger")
  public static @Nullable Integer integer(@Nullable String key, int otherwise) {
    return integer(key, Integer.valueOf(otherwise));
  }

  @InsteadOf("java/lang/Integer.getInteger")
  public static @Nullable Integer integer(@Nullable String key, @Nullable Integer otherwise) {
    String value = key == null || key.isEmpty() ? null : property(key);
    try {
      return value == null ? otherwise : Integer.decode(value);
    } catch (NumberFormatException e) {
      return otherwise;
    }
  }

  @InsteadOf("java/lang/Long.getLong")
  public static @Nullable Long longProperty(@Nullable String key) {
    return longProperty(key, null);
  }

  @InsteadOf("java/lang/Long.getLong")
  public static @Nullable Long longProperty(@Nullable String key, long otherwise) {
    return longProperty(key, Long.valueOf(otherwise));
  }

  @InsteadOf("java/lang/Long.getLong")
  public static @Nullable Long longProperty(@Nullable String key, @Nullable Long otherwise) {
    String value = key == null || key.isEmpty() ? null : property(key);
    try {
      return value == null ? otherwise : Long.decode(value);
    } catch (NumberFormatException e) {
      return otherwise;
    }
  }

  private static String checked(String key) {
    if (key.isEmpty()) {
      throw new IllegalArgumentException("key can't be empty");
    }
    return key;
  }

  /// Returns the domain's locale.
  @InsteadOf("java/util/Locale.getDefault")
  public static Locale locale() {
    return HOME.locale();
  }

  /// Returns the domain's locale, which is the same for every category.
  @InsteadOf("java/util/Locale.getDefault")
  public static Locale locale(Locale.Category category) {
    Objects.requireNonNull(category);
    return HOME.locale();
  }

  @InsteadOf("java/util/TimeZone.getDefault")
  public static TimeZone timeZone() {
    return (TimeZone) HOME.timeZone().clone();
  }

  @InsteadOf("java/time/ZoneId.systemDefault")
  public static ZoneId zone() {
    return HOME.timeZone().toZoneId();
  }

  /// Records an object. Called after each call that creates a thread pool or another JDK object
  /// with its own threads.
  public static void made(Object pool) {
    HOME.made(pool);
  }

  /// Checks the socket budget. Called before each call that opens a socket.
  public static void opening() {
    HOME.opening();
  }

  /// Counts a socket. Called after each call that opens a socket.
  public static void opened(@Nullable Object socket) {
    HOME.opened(socket);
  }

  /// Records a value. Called when a class value of the domain computes its value for a class.
  public static void computing(ClassValue<?> value, Class<?> type) {
    HOME.computing(value, type);
  }

  @InsteadOf("java/nio/ByteBuffer.allocateDirect")
  public static ByteBuffer buffer(int bytes) {
    return HOME.buffer(bytes);
  }

  /// Replaces `HttpClient.newHttpClient` and the method of a builder that creates a client.
  ///
  /// @param builder the builder, or null to use a new one
  public static Object client(@Nullable Object builder) {
    return HOME.client(builder);
  }

  /// Counts a thread. The translator inserts this call before each call of `Thread.start`, so that
  /// a `start` method that calls `super.start` also counts its thread.
  public static void starting(Thread thread) {
    HOME.starting(thread);
  }

  /// Counts and starts a thread. Replaces references to `Thread::start`.
  public static void start(Thread thread) {
    HOME.starting(thread);
    thread.start();
  }

  @InsteadOf("java/lang/Thread.ofVirtual")
  public static Thread.Builder.OfVirtual ofVirtual() {
    return HOME.virtual();
  }

  @InsteadOf("java/lang/Thread.startVirtualThread")
  public static Thread startVirtual(Runnable task) {
    return started(HOME.virtual().unstarted(task));
  }

  @InsteadOf(
      value = {
        "java/lang/Thread$Builder.start",
        "java/lang/Thread$Builder$OfPlatform.start",
        "java/lang/Thread$Builder$OfVirtual.start"
      },
      kind = Kind.RECEIVER)
  public static Thread start(Thread.Builder builder, Runnable task) {
    return started(builder.unstarted(task));
  }

  @InsteadOf(
      value = {
        "java/lang/Thread$Builder.factory",
        "java/lang/Thread$Builder$OfPlatform.factory",
        "java/lang/Thread$Builder$OfVirtual.factory"
      },
      kind = Kind.RECEIVER)
  public static ThreadFactory factory(Thread.Builder builder) {
    return HOME.counted(builder.factory());
  }

  @InsteadOf("java/util/concurrent/Executors.newVirtualThreadPerTaskExecutor")
  public static ExecutorService virtualExecutor() {
    return Executors.newThreadPerTaskExecutor(HOME.counted(HOME.virtual().factory()));
  }

  @InsteadOf("java/util/concurrent/Executors.defaultThreadFactory")
  public static ThreadFactory threads() {
    return HOME.threads();
  }

  /// Returns the parent for a thread group that is created without one.
  public static ThreadGroup group() {
    return HOME.group();
  }

  /// Returns a factory that counts its threads, for calls that pass a thread factory to the JDK,
  /// which starts the threads.
  public static @Nullable ThreadFactory counted(@Nullable ThreadFactory factory) {
    return factory == null ? null : HOME.counted(factory);
  }

  @InsteadOf("java/util/concurrent/ForkJoinPool.commonPool")
  public static ForkJoinPool pool() {
    return HOME.pool();
  }

  /// Fails a future after a delay, in a thread of the domain. The JVM has a single thread for all
  /// delays, which also runs the dependent stages of a future. If code of a domain slept in this
  /// thread, no other delay would expire.
  @InsteadOf(value = "java/util/concurrent/CompletableFuture.orTimeout", kind = Kind.RECEIVER)
  public static <T> CompletableFuture<T> orTimeout(
      CompletableFuture<T> future, long time, TimeUnit unit) {
    after(future, time, unit, () -> future.completeExceptionally(new TimeoutException()));
    return future;
  }

  @InsteadOf(
      value = "java/util/concurrent/CompletableFuture.completeOnTimeout",
      kind = Kind.RECEIVER)
  public static <T> CompletableFuture<T> completeOnTimeout(
      CompletableFuture<T> future, T value, long time, TimeUnit unit) {
    after(future, time, unit, () -> future.complete(value));
    return future;
  }

  private static void after(
      CompletableFuture<?> future, long time, TimeUnit unit, Runnable complete) {
    Objects.requireNonNull(unit);
    if (!future.isDone()) {
      Future<?> delay = HOME.delays().schedule(complete, time, unit);
      CompletableFuture<?> _ = future.whenComplete((_, _) -> delay.cancel(false));
    }
  }

  @InsteadOf("java/util/concurrent/CompletableFuture.delayedExecutor")
  public static Executor delayed(long time, TimeUnit unit) {
    return delayed(time, unit, HOME.executor());
  }

  @InsteadOf("java/util/concurrent/CompletableFuture.delayedExecutor")
  public static Executor delayed(long time, TimeUnit unit, Executor executor) {
    Objects.requireNonNull(unit);
    Objects.requireNonNull(executor);
    return task -> {
      Future<?> _ = HOME.delays().schedule(() -> executor.execute(task), time, unit);
    };
  }

  /// Returns a future that is completed in the domain. Called with the future of an HTTP client,
  /// which the JDK completes on the common pool.
  public static <T> CompletableFuture<T> relayed(CompletableFuture<T> theirs) {
    return OwnFuture.of(theirs, HOME.executor());
  }

  /// Returns true if the thread runs in a pool other than the common pool. Tasks that are forked
  /// elsewhere are submitted to the domain's pool.
  private static boolean isInOwnPool() {
    ForkJoinPool pool = ForkJoinTask.getPool();
    return pool != null && pool != ForkJoinPool.commonPool();
  }

  @InsteadOf(value = "java/util/concurrent/ForkJoinTask.fork", kind = Kind.RECEIVER)
  public static <T> ForkJoinTask<T> fork(ForkJoinTask<T> task) {
    return isInOwnPool() ? task.fork() : HOME.pool().submit(task);
  }

  @InsteadOf("java/util/concurrent/ForkJoinTask.invokeAll")
  public static void invokeAll(ForkJoinTask<?> one, ForkJoinTask<?> other) {
    inPool(() -> ForkJoinTask.invokeAll(one, other));
  }

  @InsteadOf("java/util/concurrent/ForkJoinTask.invokeAll")
  public static void invokeAll(ForkJoinTask<?>[] tasks) {
    inPool(() -> ForkJoinTask.invokeAll(tasks));
  }

  @InsteadOf("java/util/concurrent/ForkJoinTask.invokeAll")
  public static <T extends ForkJoinTask<?>> Collection<T> invokeAll(Collection<T> tasks) {
    inPool(() -> ForkJoinTask.invokeAll(tasks));
    return tasks;
  }

  private static void inPool(Runnable tasks) {
    if (isInOwnPool()) {
      tasks.run();
    } else {
      HOME.pool().invoke(ForkJoinTask.adapt(tasks));
    }
  }

  private static Thread started(Thread thread) {
    HOME.starting(thread);
    thread.start();
    return thread;
  }

  /// Starts a server of the JDK's HTTP server module, which this module does not require.
  @InsteadOf(value = "com/sun/net/httpserver/HttpServer.start", kind = Kind.RECEIVER)
  public static void startServer(Object server) {
    HOME.start(server);
  }

  @InsteadOf(value = "com/sun/net/httpserver/HttpServer.stop", kind = Kind.RECEIVER)
  public static void stopServer(Object server, int seconds) {
    HOME.stop(server, seconds);
  }

  /// Returns the executor that is added to calls without one.
  public static Executor executor() {
    return HOME.executor();
  }

  /// Returns a sequential stream, which is processed by the thread that consumes it.
  @InsteadOf(value = "java/util/Collection.parallelStream", kind = Kind.RECEIVER)
  public static <T> Stream<T> stream(Collection<T> values) {
    return values.stream();
  }

  /// Maps sequentially, because the JDK's gatherer would run on virtual threads of the JVM.
  @InsteadOf("java/util/stream/Gatherers.mapConcurrent")
  public static <T, R> Gatherer<T, ?, R> mapConcurrent(
      int most, Function<? super T, ? extends R> mapper) {
    if (most < 1) {
      throw new IllegalArgumentException("'maxConcurrency' must be greater than 0");
    }
    Objects.requireNonNull(mapper);
    return Gatherer.ofSequential((_, value, next) -> next.push(mapper.apply(value)));
  }

  @InsteadOf("java/util/stream/StreamSupport.stream")
  public static <T> Stream<T> stream(Spliterator<T> values, boolean parallel) {
    return StreamSupport.stream(values, false);
  }

  @InsteadOf("java/util/stream/StreamSupport.stream")
  public static <T> Stream<T> stream(
      Supplier<? extends Spliterator<T>> values, int characteristics, boolean parallel) {
    return StreamSupport.stream(values, characteristics, false);
  }

  @InsteadOf("java/util/stream/StreamSupport.intStream")
  public static IntStream stream(Spliterator.OfInt values, boolean parallel) {
    return StreamSupport.intStream(values, false);
  }

  @InsteadOf("java/util/stream/StreamSupport.intStream")
  public static IntStream ints(
      Supplier<? extends Spliterator.OfInt> values, int characteristics, boolean parallel) {
    return StreamSupport.intStream(values, characteristics, false);
  }

  @InsteadOf("java/util/stream/StreamSupport.longStream")
  public static LongStream stream(Spliterator.OfLong values, boolean parallel) {
    return StreamSupport.longStream(values, false);
  }

  @InsteadOf("java/util/stream/StreamSupport.longStream")
  public static LongStream longs(
      Supplier<? extends Spliterator.OfLong> values, int characteristics, boolean parallel) {
    return StreamSupport.longStream(values, characteristics, false);
  }

  @InsteadOf("java/util/stream/StreamSupport.doubleStream")
  public static DoubleStream stream(Spliterator.OfDouble values, boolean parallel) {
    return StreamSupport.doubleStream(values, false);
  }

  @InsteadOf("java/util/stream/StreamSupport.doubleStream")
  public static DoubleStream doubles(
      Supplier<? extends Spliterator.OfDouble> values, int characteristics, boolean parallel) {
    return StreamSupport.doubleStream(values, characteristics, false);
  }

  @InsteadOf(
      value = {
        "java/util/stream/BaseStream.parallel",
        "java/util/stream/Stream.parallel",
        "java/util/stream/IntStream.parallel",
        "java/util/stream/LongStream.parallel",
        "java/util/stream/DoubleStream.parallel"
      },
      kind = Kind.RECEIVER)
  public static BaseStream<?, ?> sequential(BaseStream<?, ?> stream) {
    return stream;
  }

  @InsteadOf(value = "java/util/stream/IntStream.parallel", kind = Kind.RECEIVER)
  public static IntStream sequential(IntStream stream) {
    return stream;
  }

  @InsteadOf(value = "java/util/stream/LongStream.parallel", kind = Kind.RECEIVER)
  public static LongStream sequential(LongStream stream) {
    return stream;
  }

  @InsteadOf(value = "java/util/stream/DoubleStream.parallel", kind = Kind.RECEIVER)
  public static DoubleStream sequential(DoubleStream stream) {
    return stream;
  }

  /// Matches a text with the domain's own patterns.
  @InsteadOf(value = "java/lang/String.matches", kind = Kind.RECEIVER)
  public static boolean matches(String text, String regex) {
    return Pattern.matches(regex, text);
  }

  @InsteadOf(value = "java/lang/String.replaceAll", kind = Kind.RECEIVER)
  public static String replaceAll(String text, String regex, String replacement) {
    return Pattern.compile(regex).matcher(text).replaceAll(replacement);
  }

  @InsteadOf(value = "java/lang/String.replaceFirst", kind = Kind.RECEIVER)
  public static String replaceFirst(String text, String regex, String replacement) {
    return Pattern.compile(regex).matcher(text).replaceFirst(replacement);
  }

  @InsteadOf(value = "java/lang/String.split", kind = Kind.RECEIVER)
  public static String[] split(String text, String regex) {
    return split(text, regex, 0);
  }

  @InsteadOf(value = "java/lang/String.split", kind = Kind.RECEIVER)
  public static String[] split(String text, String regex, int limit) {
    boolean isPlain = regex.length() == 1 && REGEX_SIGNS.indexOf(regex.charAt(0)) < 0;
    // The JDK splits at one plain character without a pattern.
    return isPlain ? text.split(regex, limit) : Pattern.compile(regex).split(text, limit);
  }

  @InsteadOf(value = "java/lang/String.splitWithDelimiters", kind = Kind.RECEIVER)
  public static String[] splitWithDelimiters(String text, String regex, int limit) {
    return Pattern.compile(regex).splitWithDelimiters(text, limit);
  }

  /// Returns the length of a grown array. Replaces a method of the JDK's internal classes that the
  /// relocated patterns use.
  @InsteadOf("jdk/internal/util/ArraysSupport.newLength")
  public static int newLength(int oldLength, int leastGrowth, int wantedGrowth) {
    long wanted = (long) oldLength + Math.max(leastGrowth, wantedGrowth);
    long least = (long) oldLength + leastGrowth;
    if (least > Integer.MAX_VALUE) {
      throw new OutOfMemoryError("an array of " + least + " elements");
    }
    return (int) Math.max(least, Math.min(wanted, Integer.MAX_VALUE - 8));
  }

  @SuppressWarnings("DoNotCallSuggester") // translated code calls it
  @InsteadOf("sun/text/Normalizer.getCombiningClass")
  public static int combiningClass(int character) {
    throw new UnsupportedOperationException(
        "Pattern.CANON_EQ in a domain. Why: the JDK does not open what it needs. Fix: normalize"
            + " pattern and text with java.text.Normalizer");
  }
}
