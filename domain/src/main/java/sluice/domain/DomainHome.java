package sluice.domain;

import java.io.InputStream;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadFactory;
import sluice.domain.inside.Home;

/// What one domain has instead of what the JVM has once. Any thread may call.
final class DomainHome implements Home {
  private final DomainConfig.Streams streams;
  private final DomainThreads threads;
  private final Locale locale = Locale.getDefault();
  private final TimeZone timeZone = TimeZone.getDefault();
  private volatile Properties properties = new Properties();

  DomainHome(DomainConfig config, DomainThreads threads) {
    streams = config.streams();
    this.threads = threads;
    properties.putAll(System.getProperties());
    properties.putAll(config.properties());
  }

  @Override
  public PrintStream out() {
    return streams.out();
  }

  @Override
  public PrintStream err() {
    return streams.err();
  }

  @Override
  public InputStream in() {
    return streams.in();
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
      threads.made(service);
    }
  }

  @Override
  public ThreadFactory threads() {
    return task -> threads.make(null, task);
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
    return threads.executor();
  }

  @Override
  public ForkJoinPool pool() {
    return threads.pool();
  }
}
