package sluice.bench.domain;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import sluice.domain.Domain;

/// Creates and ends domains without classes; the measured time is that of creating them. Owned by
/// the worker's main thread.
final class DomainLife implements Work {
  private static final int HELD = 300;
  private static final int AT_ONCE = 64;

  private final List<AutoCloseable> made = new ArrayList<>();
  private final boolean ours;
  private long nanos;

  private DomainLife(boolean ours) {
    this.ours = ours;
  }

  /// Returns the work.
  ///
  /// @param ours true for domains, false for class loaders alone
  static Work create(boolean ours) {
    return new DomainLife(ours);
  }

  private AutoCloseable make() throws Exception {
    return ours
        ? Domain.create(DomainWorks.config())
        : new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader());
  }

  @Override
  public long run(int times) throws Exception {
    for (int i = 0; i < times; i++) {
      long start = System.nanoTime();
      AutoCloseable each = make();
      nanos += System.nanoTime() - start;
      made.add(each);
      if (made.size() == AT_ONCE) {
        endAll();
      }
    }
    return times;
  }

  /// Ends all at once: the gates of all domains that end within 10 ms are closed together.
  private void endAll() throws Exception {
    try (ExecutorService ending = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> ends = new ArrayList<>();
      for (AutoCloseable each : made) {
        ends.add(
            ending.submit(() -> {
              each.close();
              return null;
            }));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    }
    made.clear();
  }

  @Override
  public long measuredNanos() {
    long since = nanos;
    nanos = 0;
    return since;
  }

  /// Returns the heap and metaspace of each of some hundred domains.
  @Override
  public Map<String, Double> extra() throws Exception {
    endAll();
    long before = used();
    for (int i = 0; i < HELD; i++) {
      made.add(make());
    }
    double each = (used() - before) / (double) HELD;
    endAll();
    return Map.of("bytes_per_domain", each);
  }

  private static long used() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
        + ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getUsed();
  }

  @Override
  public void close() throws IOException {
    try {
      endAll();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new IOException("not all domains ended", e);
    }
  }
}
