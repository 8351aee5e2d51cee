package sluice.cli.domain;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import sluice.host.domain.DomainCounters;
import sluice.loop.counters.CounterFile;
import sluice.loop.counters.CounterSnapshot;
import sluice.loop.counters.CounterValue;

/// A domain of a running process, as described by its counters. Instances are immutable.
///
/// @param pid the ID of the process
/// @param name the name of the domain
/// @param values the values of the counters, keyed by the names in [DomainCounters]
record DomainRow(long pid, String name, Map<String, Long> values) {
  /// Returns the domains of all processes of the user, sorted by process and name.
  ///
  /// @param problems a consumer that receives a message for each file that cannot be read
  static List<DomainRow> all(Path directory, Consumer<String> problems) throws IOException {
    List<DomainRow> rows = new ArrayList<>();
    CounterFile.readAll(directory, problems).forEach(snapshot -> rows.addAll(of(snapshot)));
    return rows;
  }

  private static List<DomainRow> of(CounterSnapshot snapshot) {
    Map<String, Map<String, Long>> domains = new TreeMap<>();
    for (CounterValue value : snapshot.values()) {
      int slash = value.label().lastIndexOf('/');
      if (value.label().startsWith(DomainCounters.LABEL) && slash > 0) {
        String name = value.label().substring(DomainCounters.LABEL.length(), slash);
        domains
            .computeIfAbsent(name, _ -> new LinkedHashMap<>())
            .put(value.label().substring(slash + 1), value.value());
      }
    }
    List<DomainRow> rows = new ArrayList<>();
    domains.forEach((name, values) -> rows.add(new DomainRow(snapshot.pid(), name, values)));
    return rows;
  }

  long value(String counter) {
    return values.getOrDefault(counter, 0L);
  }

  String state() {
    if (value(DomainCounters.ALIVE) == 0) {
      return value(DomainCounters.THREADS) == 0 ? "ended" : "ending";
    }
    return value(DomainCounters.HELD) == 0 ? "alive" : "held";
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("pid", pid);
    json.put("domain", name);
    json.put("state", state());
    json.putAll(values);
    return json;
  }
}
