package sluice.domain;

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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import javax.management.MBeanServer;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.Home;
import sluice.domain.inside.OwnBeans;
import sluice.domain.inside.OwnLoggers;

/// The domain-specific objects that replace JVM-wide ones. Any thread may call.
final class DomainHome implements Home {
  private final DomainConfig.Streams streams;
  private final InputStream in;
  private final DomainThreads threads;
  private final DomainPools pools;
  private final DomainSockets sockets;
  private final DomainMemory memory;
  private final DomainServices services;
  private final DomainTraces traces;
  private final Locale locale = Locale.getDefault();
  private final TimeZone timeZone = TimeZone.getDefault();
  private final Map<String, Object> settings = new ConcurrentHashMap<>();
  private volatile @Nullable PrintStream out;
  private volatile @Nullable PrintStream err;
  private volatile @Nullable OwnLoggers loggers;
  private volatile @Nullable MBeanServer beans;
  private @Nullable HandlerPool handlers;
  private @Nullable AsynchronousChannelGroup channels;
  private volatile Properties properties = new Properties();

  DomainHome(
      DomainConfig config,
      DomainThreads threads,
      DomainSockets sockets,
      DomainMemory memory,
      DomainServices services,
      DomainTraces traces) {
    streams = config.streams();
    in = new HostInput(streams.in());
    this.threads = threads;
    pools = threads.pools();
    this.sockets = sockets;
    this.memory = memory;
    this.services = services;
    this.traces = traces;
    properties.putAll(System.getProperties());
    properties.putAll(config.properties());
  }

  @Override
  public PrintStream out() {
    PrintStream known = out;
    return known == null ? makeOut() : known;
  }

  @Override
  public PrintStream err() {
    PrintStream known = err;
    return known == null ? makeErr() : known;
  }

  private synchronized PrintStream makeOut() {
    PrintStream made = out == null ? HostStream.of(streams.out(), threads::hasEnded) : out;
    out = made;
    return made;
  }

  private synchronized PrintStream makeErr() {
    PrintStream made = err == null ? HostStream.of(streams.err(), threads::hasEnded) : err;
    err = made;
    return made;
  }

  @Override
  public OwnLoggers loggers() {
    OwnLoggers known = loggers;
    return known == null ? makeLoggers() : known;
  }

  private synchronized OwnLoggers makeLoggers() {
    OwnLoggers made = loggers == null ? new OwnLoggers(err()) : loggers;
    loggers = made;
    return made;
  }

  @Override
  public MBeanServer beans() {
    MBeanServer known = beans;
    return known == null ? makeBeans() : known;
  }

  private synchronized MBeanServer makeBeans() {
    MBeanServer made = beans == null ? OwnBeans.server() : beans;
    beans = made;
    traces.made(made);
    return made;
  }

  @Override
  public InputStream in() {
    return in;
  }

  @Override
  public Properties properties() {
    return properties;
  }

  @Override
  public void properties(Properties other) {
    properties = other;
  }

  @Override
  public Locale locale() {
    return locale;
  }

  @Override
  public TimeZone timeZone() {
    return timeZone;
  }

  @Override
  public void starting(Thread thread) {
    threads.starting(thread);
  }

  @Override
  public void made(Object pool) {
    if (pool instanceof ExecutorService service) {
      pools.made(service);
    } else {
      services.made(pool);
    }
  }

  @Override
  public Object client(@Nullable Object builder) {
    return services.client(builder, pools.ofClients(), threads::onPlatform);
  }

  @Override
  public void start(Object server) {
    threads.requireRoom();
    threads.onPlatform(() -> services.start(server));
  }

  @Override
  public void stop(Object server, int seconds) {
    services.stop(server, seconds);
  }

  @Override
  public void opening() {
    sockets.opening();
  }

  @Override
  public void opened(@Nullable Object socket) {
    sockets.opened(socket);
  }

  @Override
  public void computing(ClassValue<?> value, Class<?> type) {
    traces.computing(value, type);
  }

  @Override
  public ByteBuffer buffer(int bytes) {
    return memory.buffer(bytes);
  }

  @Override
  public Set<Thread> visible() {
    return threads.visible();
  }

  @Override
  public Set<Thread> enumerable() {
    return threads.enumerable();
  }

  @Override
  public boolean owns(Thread thread) {
    return threads.owns(thread);
  }

  @Override
  public ThreadGroup group() {
    return threads.group();
  }

  @Override
  public Map<String, Object> settings() {
    return settings;
  }

  @Override
  public ThreadFactory threads() {
    return task -> threads.make(null, task, true);
  }

  @Override
  public Thread thread(
      @Nullable ThreadGroup group,
      @Nullable Runnable task,
      @Nullable String name,
      long stackBytes,
      boolean inherits) {
    return threads.plain(group, task, name, stackBytes, inherits);
  }

  @Override
  public Thread.Builder.OfVirtual virtual() {
    return threads.virtual();
  }

  @Override
  public ThreadFactory counted(ThreadFactory factory) {
    return threads.counted(factory);
  }

  @Override
  public Executor executor() {
    return pools.executor();
  }

  @Override
  public ScheduledExecutorService delays() {
    return pools.delays();
  }

  @Override
  public synchronized ExecutorService handlers() {
    HandlerPool known = handlers;
    if (known == null) {
      known = new HandlerPool(threads, pools.handlers(), true);
      handlers = known;
    }
    return known;
  }

  @Override
  public ExecutorService ofGroup(ExecutorService pool) {
    return new HandlerPool(threads, pool, false);
  }

  @Override
  public ThreadFactory ofGroup(ThreadFactory factory) {
    return threads.ofGroup(factory);
  }

  @Override
  public synchronized AsynchronousChannelGroup channels() throws IOException {
    AsynchronousChannelGroup made = channels;
    if (made == null) {
      made = AsynchronousChannelGroup.withThreadPool(handlers());
      channels = made;
      services.made(made);
    }
    return made;
  }

  @Override
  public ForkJoinPool pool() {
    return pools.common();
  }
}
