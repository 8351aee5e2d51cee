package sluice.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.domain.DomainStat;
import sluice.loop.counters.Counter;
import sluice.loop.counters.Counters;

/// The domains of this process among its counters, where `sluice stat` and `sluice domain ls` read
/// them; and requests of `sluice domain kill`, which are files beside the counters file. Used by
/// one thread.
///
/// The directory belongs to the user and no other may write it, so only that user's processes ask.
final class DomainCounters implements AutoCloseable {
  /// What the labels of a domain begin with; its name and a slash follow.
  static final String LABEL = "domain ";

  static final String ALIVE = "alive";
  static final String THREADS = "threads";
  static final String CPU = "cpu_ms";
  static final String ALLOCATED = "allocated_bytes";
  static final String HELD = "held";

  private record Shown(
      Domain domain,
      Counter alive,
      Counter threads,
      Counter cpu,
      Counter allocated,
      Counter held) {}

  private final Counters counters = Counters.open();
  private final List<Shown> domains = new ArrayList<>();

  DomainCounters(String description) {
    counters.describe(description);
  }

  void add(Domain domain) {
    String label = LABEL + domain.name() + "/";
    domains.add(
        new Shown(
            domain,
            counters.gauge(label + ALIVE),
            counters.gauge(label + THREADS),
            counters.counter(label + CPU),
            counters.counter(label + ALLOCATED),
            counters.gauge(label + HELD)));
  }

  /// Writes what the domains use, and ends those that are to end.
  void tick() {
    for (Shown each : domains) {
      DomainStat stat = each.domain.stat();
      each.threads.set(stat.threads());
      each.cpu.set(stat.cpuNanos() / 1_000_000);
      each.allocated.set(stat.allocatedBytes());
      each.held.set(stat.isHeld() ? 1 : 0);
      Path request = request(each.domain.name());
      if (request != null && Files.exists(request)) {
        each.domain.kill("it was killed by sluice domain kill");
        remove(request); // that is the answer: the gates are closed
      }
      each.alive.set(each.domain.alive() ? 1 : 0);
    }
  }

  private @Nullable Path request(String name) {
    Path file = counters.file();
    return file == null ? null : request(file, name);
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
    return countersFile.resolveSibling(countersFile.getFileName() + ".end." + domain);
  }

  /// Removes the file and requests that came too late.
  @Override
  public void close() {
    for (Shown each : domains) {
      Path request = request(each.domain.name());
      if (request != null) {
        remove(request);
      }
    }
    counters.close();
  }
}
