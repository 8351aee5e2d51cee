package sluice.bench.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The system calls of a server within a window, as counted by `perf stat`: all of them, those that
/// change interest, those that wait, and the operations staged in rings. Immutable.
public record PollingCalls(Map<String, Long> counts) {
  private static final Path TRACE_EVENTS = Path.of("/sys/kernel/tracing/events");
  private static final String ALL = "raw_syscalls:sys_enter";
  private static final String CONTROL = "syscalls:sys_enter_epoll_ctl";
  private static final String STAGED = "io_uring:io_uring_submit_req";

  /// The calls that wait. poll(2) and io_uring_enter(2) both change interest and wait.
  private static final List<String> WAIT =
      List.of(
          "syscalls:sys_enter_epoll_wait",
          "syscalls:sys_enter_epoll_pwait",
          "syscalls:sys_enter_epoll_pwait2",
          "syscalls:sys_enter_poll",
          "syscalls:sys_enter_ppoll",
          "syscalls:sys_enter_io_uring_enter");

  public PollingCalls {
    counts = Map.copyOf(counts);
  }

  /// Returns the options of `perf stat` for the events to count here: the first always exists, the
  /// others on kernels that have them. A poll(2) of a single descriptor does not count: it comes
  /// from a blocking socket of the JDK, as in a database driver, and not from a selector.
  static List<String> options() {
    List<String> options = new ArrayList<>(List.of("-e", ALL));
    List<String> wanted = new ArrayList<>(List.of(CONTROL, STAGED));
    wanted.addAll(WAIT);
    for (String event : wanted) {
      if (Files.isDirectory(TRACE_EVENTS.resolve(event.replace(':', '/')))) {
        options.addAll(List.of("-e", event));
        if (event.endsWith("_poll") || event.endsWith("_ppoll")) {
          options.addAll(List.of("--filter", "nfds > 1"));
        }
      }
    }
    return options;
  }

  /// Parses the counts.
  ///
  /// @param text output of `perf stat -x ,`
  public static PollingCalls parse(String text) {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (String line : text.split("\n", -1)) {
      String[] fields = line.split(",", -1);
      if (fields.length > 2 && fields[0].matches("\\d+")) {
        counts.put(fields[2], Long.parseLong(fields[0]));
      }
    }
    return new PollingCalls(counts);
  }

  /// Returns `syscalls_per_req`, `epoll_ctl_per_req`, `waits_per_req`, `staged_per_req`, and the
  /// last three per millisecond; counts that are missing are left out.
  public Map<String, Double> metrics(double requests, double milliseconds) {
    Map<String, Double> metrics = new LinkedHashMap<>();
    Long all = counts.get(ALL);
    if (all != null) {
      metrics.put("syscalls_per_req", all / requests);
    }
    put(metrics, "epoll_ctl", List.of(CONTROL), requests, milliseconds);
    put(metrics, "waits", WAIT, requests, milliseconds);
    put(metrics, "staged", List.of(STAGED), requests, milliseconds);
    return metrics;
  }

  private void put(
      Map<String, Double> metrics,
      String name,
      List<String> events,
      double requests,
      double milliseconds) {
    if (events.stream().anyMatch(counts::containsKey)) {
      long sum = events.stream().mapToLong(event -> counts.getOrDefault(event, 0L)).sum();
      metrics.put(name + "_per_req", sum / requests);
      metrics.put(name + "_per_ms", sum / milliseconds);
    }
  }
}
