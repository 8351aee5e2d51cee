package sluice.http.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/// Reads the standard metrics of the process, which are processor time, memory, descriptors and
/// threads. They are read from `/proc` for each request, and unavailable values are omitted.
/// Stateless, so any thread may call it.
final class ProcessMetrics {
  private static final Path SELF = Path.of("/proc/self");

  private ProcessMetrics() {}

  /// Returns the values by name in base units.
  static Map<String, Double> read() {
    Map<String, Double> values = new LinkedHashMap<>();
    ProcessHandle.Info info = ProcessHandle.current().info();
    info.totalCpuDuration()
        .ifPresent(time -> values.put("process_cpu_seconds_total", time.toNanos() / 1e9));
    info.startInstant()
        .ifPresent(start -> values.put("process_start_time_seconds", start.toEpochMilli() / 1e3));
    status(values);
    descriptors(values);
    Runtime runtime = Runtime.getRuntime();
    values.put("jvm_heap_used_bytes", (double) (runtime.totalMemory() - runtime.freeMemory()));
    values.put("jvm_heap_max_bytes", (double) runtime.maxMemory());
    return values;
  }

  private static void status(Map<String, Double> values) {
    try (Stream<String> lines = Files.lines(SELF.resolve("status"))) {
      lines.forEach(line -> {
        String[] words = line.split("\\s+", -1);
        switch (words[0]) {
          case "VmRSS:" ->
              values.put("process_resident_memory_bytes", Double.parseDouble(words[1]) * 1024);
          case "VmSize:" ->
              values.put("process_virtual_memory_bytes", Double.parseDouble(words[1]) * 1024);
          case "Threads:" -> values.put("process_threads", Double.parseDouble(words[1]));
          default -> {}
        }
      });
    } catch (IOException | RuntimeException e) {
      // Omits values that are not available.
    }
  }

  private static void descriptors(Map<String, Double> values) {
    try (Stream<Path> open = Files.list(SELF.resolve("fd"));
        Stream<String> limits = Files.lines(SELF.resolve("limits"))) {
      values.put("process_open_fds", open.count() - 1.0); // without the listing's own descriptor
      limits
          .filter(line -> line.startsWith("Max open files"))
          .map(line -> line.split("\\s+", -1)[3])
          .filter(limit -> !limit.equals("unlimited"))
          .forEach(limit -> values.put("process_max_fds", Double.parseDouble(limit)));
    } catch (IOException | RuntimeException e) {
      // Omits values that are not available.
    }
  }
}
