package sluice.host.domain;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import sluice.domain.Domain;
import sluice.domain.DomainStat;
import sluice.host.control.ControlAnswer;
import sluice.loop.counters.Counter;
import sluice.loop.counters.Counters;
import sluice.sys.threads.Uninterrupted;

/// Publishes the domains of this process in its counters, which are read by `sluice stat` and
/// `sluice domain ls`. Only one thread may call [#tick], but any thread may call [#kill].
///
/// A name may refer to different domains over time, for example when a plug-in is replaced.
public final class DomainCounters {
  /// The prefix of the labels of a domain, which is followed by its name and a slash.
  public static final String LABEL = "domain ";

  /// The name of the request that is sent by `sluice domain kill`.
  public static final String KILL = "kill";

  /// The name of the gauge that is 1 while the domain is alive.
  public static final String ALIVE = "alive";

  /// The name of the gauge for the number of threads.
  public static final String THREADS = "threads";

  /// The name of the gauge for the number of platform threads.
  public static final String PLATFORM_THREADS = "platform_threads";

  /// The name of the counter for the CPU time in milliseconds.
  public static final String CPU = "cpu_ms";

  /// The name of the counter for the bytes that the threads of the domain have allocated.
  public static final String ALLOCATED = "allocated_bytes";

  /// The name of the gauge that is 1 while the threads of the domain are suspended because it has
  /// exceeded its budget.
  public static final String HELD = "held";

  /// The name of the counter for the automatic restarts of a plug-in.
  public static final String RESTARTS = "restarts";

  /// The prefix of the gauges for resources that were not closed in time. It is followed by the
  /// kind, as in [DomainStat#late].
  static final String LATE = "late_";

  private record Shown(
      String name,
      Supplier<Domain> domain,
      Counter alive,
      Counter threads,
      Counter platformThreads,
      Counter cpu,
      Counter allocated,
      Counter held,
      Map<String, Counter> late) {}

  private static final Duration LOOK = Duration.ofMillis(20);

  private final Counters counters;
  private final List<Shown> domains = new CopyOnWriteArrayList<>();

  /// Creates an instance that publishes domains in the counters of a process.
  ///
  /// @param counters the counters of this process, which the caller must close after this instance
  ///   is no longer used
  public DomainCounters(Counters counters) {
    this.counters = counters;
  }

  /// Publishes the given domain.
  public void add(Domain domain) {
    add(domain.name(), () -> domain);
  }

  /// Publishes a domain that may be replaced by another one.
  ///
  /// @param name the name of the domain for commands
  /// @param current a supplier of the domain that currently has this name
  public void add(String name, Supplier<Domain> current) {
    String label = LABEL + name + "/";
    domains.add(
        new Shown(
            name,
            current,
            counters.gauge(label + ALIVE),
            counters.gauge(label + THREADS),
            counters.gauge(label + PLATFORM_THREADS),
            counters.counter(label + CPU),
            counters.counter(label + ALLOCATED),
            counters.gauge(label + HELD),
            new HashMap<>()));
  }

  /// Updates the counters of all published domains.
  void tick() {
    for (Shown each : domains) {
      Domain domain = each.domain.get();
      DomainStat stat = domain.stat();
      each.threads.set(stat.threads());
      each.platformThreads.set(stat.platformThreads());
      each.cpu.set(stat.cpuNanos() / 1_000_000);
      each.allocated.set(stat.allocatedBytes());
      each.held.set(stat.isHeld() ? 1 : 0);
      late(each, stat.late());
      each.alive.set(domain.alive() ? 1 : 0);
    }
  }

  /// Updates the gauges of late closers. A gauge is created when the first closer of its kind is
  /// late.
  private void late(Shown shown, List<String> late) {
    for (String kind : late) {
      shown.late.computeIfAbsent(kind, _ -> counters.gauge(LABEL + shown.name + "/" + LATE + kind));
    }
    shown.late.forEach((kind, counter) -> counter.set(Collections.frequency(late, kind)));
  }

  /// Starts a daemon thread that calls [#tick] until a condition holds.
  ///
  /// @param name the name of the thread
  /// @param until the condition that stops the thread
  /// @param tell a consumer that receives one line if the counters can no longer be written
  /// @return the started thread
  public Thread watch(String name, BooleanSupplier until, Consumer<String> tell) {
    return Thread.ofPlatform()
        .daemon()
        .name(name)
        .start(() -> {
          try {
            while (!until.getAsBoolean()) {
              tick();
              Uninterrupted.sleep(LOOK);
            }
          } catch (RuntimeException e) {
            tell.accept("sluice domain does not see the domains any more: " + e.getMessage());
          }
        });
  }

  /// Terminates a domain. Its gates are closed when this method returns.
  public ControlAnswer kill(String name) {
    for (Shown each : domains) {
      if (each.name.equals(name)) {
        each.domain.get().kill("it was killed by sluice domain kill");
        each.alive.set(0);
        return ControlAnswer.done();
      }
    }
    return ControlAnswer.refused("it has no domain " + name);
  }
}
