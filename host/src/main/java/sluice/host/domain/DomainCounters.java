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

/// The domains of this process among its counters, where `sluice stat` and `sluice domain ls` read
/// them. One thread calls [#tick]; any thread calls [#kill].
///
/// A name may stand for one domain after another, as that of a plug-in that is replaced does.
public final class DomainCounters {
  /// What the labels of a domain begin with; its name and a slash follow.
  public static final String LABEL = "domain ";

  /// The request of `sluice domain kill`.
  public static final String KILL = "kill";

  /// Is 1 while the domain lives.
  public static final String ALIVE = "alive";

  /// The threads that it has.
  public static final String THREADS = "threads";

  /// Those of them that are platform threads.
  public static final String PLATFORM_THREADS = "platform_threads";

  /// The CPU time that it has used, in milliseconds.
  public static final String CPU = "cpu_ms";

  /// The bytes that its threads have allocated.
  public static final String ALLOCATED = "allocated_bytes";

  /// Is 1 while its threads wait because it is over its budget.
  public static final String HELD = "held";

  /// How often a plug-in was loaded again by itself.
  public static final String RESTARTS = "restarts";

  /// The kind of what has not ended in time follows, as [DomainStat#late] names it.
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

  /// Shows domains in the counters of a process.
  ///
  /// @param counters of this process; closed by the caller, after this
  public DomainCounters(Counters counters) {
    this.counters = counters;
  }

  /// Shows one domain more.
  public void add(Domain domain) {
    add(domain.name(), () -> domain);
  }

  /// Shows one domain more, which may be exchanged for another.
  ///
  /// @param name what commands call the domain
  /// @param current the domain that has the name now
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

  /// Writes what the domains use.
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

  /// A gauge for each kind of closer, made when one is late for the first time.
  private void late(Shown shown, List<String> late) {
    for (String kind : late) {
      shown.late.computeIfAbsent(kind, _ -> counters.gauge(LABEL + shown.name + "/" + LATE + kind));
    }
    shown.late.forEach((kind, counter) -> counter.set(Collections.frequency(late, kind)));
  }

  /// Starts a daemon thread that calls [#tick] until a condition holds.
  ///
  /// @param tell gets one line if the counters cannot be written any more
  /// @return the thread
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

  /// Ends a domain: its gates are closed when this returns.
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
