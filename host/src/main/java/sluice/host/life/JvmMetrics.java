package sluice.host.life;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import sluice.http.metrics.Metric;
import sluice.http.metrics.Metric.Kind;

/// The metrics of the JVM and of the build for `/metrics`. They include memory, garbage
/// collections, threads, classes and `sluice_build_info`, and have the same names as in the
/// Prometheus Java client. This class is stateless. A scrape takes about 0.1 ms, except for the
/// first one, which also loads the management beans of the JVM.
public final class JvmMetrics {
  private JvmMetrics() {}

  /// Reads the current values of the metrics.
  public static List<Metric> read() {
    List<Metric> metrics = new ArrayList<>();
    metrics.add(build());
    memory(metrics);
    collections(metrics);
    threads(metrics);
    classes(metrics);
    return metrics;
  }

  private static Metric build() {
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put("version", BuildVersion.version());
    labels.put("commit", BuildVersion.commit());
    labels.put("java", Runtime.version().toString());
    return new Metric("sluice_build_info", Kind.INFO, "", labels, 1);
  }

  private static void memory(List<Metric> into) {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    Map<String, MemoryUsage> areas = new LinkedHashMap<>();
    areas.put("heap", memory.getHeapMemoryUsage());
    areas.put("nonheap", memory.getNonHeapMemoryUsage());
    gauges(into, "jvm_memory_used_bytes", areas, MemoryUsage::getUsed);
    gauges(into, "jvm_memory_committed_bytes", areas, MemoryUsage::getCommitted);
    gauges(into, "jvm_memory_max_bytes", areas, MemoryUsage::getMax);
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      MemoryUsage usage = pool.getUsage();
      if (usage != null) { // the pool is valid
        Map<String, String> labels = Map.of("pool", pool.getName());
        into.add(Metric.gauge("jvm_memory_pool_used_bytes", labels, (double) usage.getUsed()));
      }
    }
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      Map<String, String> labels = Map.of("pool", pool.getName());
      into.add(Metric.gauge("jvm_buffer_pool_used_bytes", labels, (double) pool.getMemoryUsed()));
    }
  }

  /// Adds gauges.
  ///
  /// @param of a function that returns the value, which is negative if it is not available
  private static void gauges(
      List<Metric> into,
      String family,
      Map<String, MemoryUsage> areas,
      ToLongFunction<MemoryUsage> of) {
    areas.forEach((area, usage) -> {
      long value = of.applyAsLong(usage);
      if (value >= 0) {
        into.add(Metric.gauge(family, Map.of("area", area), (double) value));
      }
    });
  }

  private static void collections(List<Metric> into) {
    for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
      Map<String, String> labels = Map.of("gc", each.getName());
      double seconds = (double) Math.max(0, each.getCollectionTime()) / 1e3;
      double count = (double) Math.max(0, each.getCollectionCount());
      String family = "jvm_gc_collection_seconds";
      into.add(new Metric(family, Kind.SUMMARY, "_count", labels, count));
      into.add(new Metric(family, Kind.SUMMARY, "_sum", labels, seconds));
    }
  }

  private static void threads(List<Metric> into) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    into.add(Metric.gauge("jvm_threads_current", Map.of(), threads.getThreadCount()));
    into.add(Metric.gauge("jvm_threads_daemon", Map.of(), threads.getDaemonThreadCount()));
    into.add(Metric.gauge("jvm_threads_peak", Map.of(), threads.getPeakThreadCount()));
    into.add(counter("jvm_threads_started_total", (double) threads.getTotalStartedThreadCount()));
  }

  private static void classes(List<Metric> into) {
    ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
    into.add(Metric.gauge("jvm_classes_currently_loaded", Map.of(), classes.getLoadedClassCount()));
    into.add(counter("jvm_classes_loaded_total", (double) classes.getTotalLoadedClassCount()));
  }

  private static Metric counter(String family, double value) {
    return new Metric(family, Kind.COUNTER, "", Map.of(), value);
  }
}
