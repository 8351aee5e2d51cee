package sluice.cli.domain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.domain.DomainStat;
import sluice.loop.counters.Counter;
import sluice.loop.counters.Counters;

/// The domains of this process among its counters, where `sluice stat` and `sluice domain ls` read
/// them; and requests of `sluice domain kill`, which are files beside the counters file. One thread
/// calls [#tick]; [#close] comes after its last call.
///
/// A name may stand for one domain after another, as that of a plug-in that is replaced does. The
/// directory belongs to the user and no other may write it, so only that user's processes ask.
final class DomainCounters implements AutoCloseable {
  /// What the labels of a domain begin with; its name and a slash follow.
  static final String LABEL = "domain ";

  private static final String ENDING = ".end.";

  static final String ALIVE = "alive";
  static final String THREADS = "threads";
  static final String CPU = "cpu_ms";
  static final String ALLOCATED = "allocated_bytes";
  static final String HELD = "held";

  /// The kind of what has not ended in time follows, as [DomainStat#late] names it.
  static final String LATE = "late_";

  private record Shown(
      String name,
      Supplier<Domain> domain,
      Counter alive,
      Counter threads,
      Counter cpu,
      Counter allocated,
      Counter held,
      Map<String, Counter> late) {}

  private final Counters counters;
  private final List<Shown> domains = new ArrayList<>();

  /// @param counters of this process; closed by the caller, after this
  DomainCounters(Counters counters) {
    this.counters = counters;
  }

  void add(Domain domain) {
    add(domain.name(), () -> domain);
  }

  /// @param name what commands call the domain
  /// @param current the domain that has the name now
  void add(String name, Supplier<Domain> current) {
    String label = LABEL + name + "/";
    domains.add(
        new Shown(
            name,
            current,
            counters.gauge(label + ALIVE),
            counters.gauge(label + THREADS),
            counters.counter(label + CPU),
            counters.counter(label + ALLOCATED),
            counters.gauge(label + HELD),
            new HashMap<>()));
  }

  /// Writes what the domains use, and ends those that are to end.
  void tick() {
    for (Shown each : domains) {
      Domain domain = each.domain.get();
      DomainStat stat = domain.stat();
      each.threads.set(stat.threads());
      each.cpu.set(stat.cpuNanos() / 1_000_000);
      each.allocated.set(stat.allocatedBytes());
      each.held.set(stat.isHeld() ? 1 : 0);
      late(each, stat.late());
      Path request = request(each.name);
      if (request != null && Files.exists(request)) {
        domain.kill("it was killed by sluice domain kill");
        remove(request); // that is the answer: the gates are closed
      }
      each.alive.set(domain.alive() ? 1 : 0);
    }
  }

  /// A gauge for each kind of closer, made when one is late for the first time.
  private void late(Shown shown, List<String> late) {
    for (String kind : late) {
      shown.late.computeIfAbsent(kind, _ -> counters.gauge(LABEL + shown.name + "/" + LATE + kind));
    }
    shown.late.forEach((kind, counter) -> counter.set(Collections.frequency(late, kind)));
  }

  private @Nullable Path request(String name) {
    return request(name, ENDING);
  }

  /// The file by which a command asks something of a domain of this process; null if it has none.
  @Nullable Path request(String name, String what) {
    Path file = counters.file();
    return file == null ? null : request(file, name, what);
  }

  private static void remove(Path request) {
    try {
      Files.deleteIfExists(request);
    } catch (IOException e) {
      throw new UncheckedIOException("a request to end a domain stays: " + request, e);
    }
  }

  /// The file that asks for the end of a domain.
  static Path request(Path countersFile, String domain) {
    return request(countersFile, domain, ENDING);
  }

  /// The file that asks for something.
  static Path request(Path countersFile, String domain, String what) {
    return countersFile.resolveSibling(countersFile.getFileName() + what + domain);
  }

  /// Removes requests that came too late.
  @Override
  public void close() {
    for (Shown each : domains) {
      for (String what : new String[] {ENDING, ReplaceRequest.ASKED}) {
        Path request = request(each.name, what);
        if (request != null) {
          remove(request);
        }
      }
    }
  }
}
