package sluice.bench.domain;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;
import sluice.domain.portal.CallPath;
import sluice.domain.portal.Portals;

/// Calls into a domain, one per millisecond from a platform thread, beside a domain whose threads
/// never release their processors. The hogs run only during a measurement, and for a moment before
/// its first call: until then gates do not check, and code is interpreted. In a JVM without
/// carriers, all threads are platform threads. Owned by the worker's main thread.
final class DomainHogs implements Work {
  /// The ways to hog a processor, with the class of each.
  static final Map<String, String> KINDS = kinds();

  private static final long APART_NANOS = 1_000_000;
  private static final long HEAD_START_MILLIS = 2000;

  private final Supplier<DomainConfig> config;
  private final Domain domain;
  private final PortalWorks.Counter counter;
  private final @Nullable String hog;
  private final int hogs;
  private final Thread caller = Thread.currentThread();
  private @Nullable Domain greedy;
  private long[] times = new long[1024];
  private int count;
  private long measured;

  /// @param config the configuration of a new domain
  /// @param hog name of a class; null for none
  /// @param perProcessor true for one hog more than there are processors, false for one hog
  DomainHogs(Supplier<DomainConfig> config, @Nullable String hog, boolean perProcessor)
      throws Exception {
    this.config = config;
    this.hog = hog;
    hogs = perProcessor ? Runtime.getRuntime().availableProcessors() + 1 : 1;
    domain = Domain.create(config.get());
    Portals portals = new Portals(CallPath.SERVICE);
    PortalWorks.offer(portals, domain);
    counter =
        portals
            .lookup(PortalWorks.caller(), PortalWorks.NAME, PortalWorks.Counter.class)
            .orElseThrow();
  }

  private static Map<String, String> kinds() {
    Map<String, String> kinds = new LinkedHashMap<>();
    kinds.put("loop", "Loop");
    kinds.put("regular expression", "Regex");
    kinds.put("BigInteger", "Power");
    kinds.put("class initializer", "Initializer");
    return kinds;
  }

  @Override
  public long run(int rounds) throws Exception {
    if (hog != null && greedy == null) {
      greedy = hogged(hog);
      long until = System.nanoTime() + 1_000_000L * HEAD_START_MILLIS;
      while (System.nanoTime() - until < 0) {
        counter.nothing();
      }
    }
    return calls(rounds);
  }

  /// Starts the threads that hog, which run for the rest of the measurement.
  private Domain hogged(String name) throws Exception {
    Domain made = Domain.create(config.get());
    for (int i = 0; i < hogs; i++) {
      Runnable task =
          Class.forName("sluice.bench.kernel.Hogs$" + name, true, made.loader())
              .asSubclass(Runnable.class)
              .getDeclaredConstructor()
              .newInstance();
      made.serviceThread("hog-" + i, task).start();
    }
    return made;
  }

  private long calls(int rounds) {
    for (int i = 0; i < rounds; i++) {
      rest();
      long start = System.nanoTime();
      counter.nothing();
      long took = System.nanoTime() - start;
      if (count == times.length) {
        times = Arrays.copyOf(times, 2 * count);
      }
      times[count++] = took;
      measured += took;
    }
    return rounds;
  }

  private void rest() {
    long until = System.nanoTime() + APART_NANOS;
    for (long left = APART_NANOS; left > 0; left = until - System.nanoTime()) {
      LockSupport.parkNanos(caller, left);
    }
  }

  @Override
  public long measuredNanos() {
    long sum = measured;
    measured = 0;
    return sum;
  }

  @Override
  public Map<String, Double> extra() {
    long[] sorted = Arrays.copyOf(times, count);
    count = 0;
    endHogs();
    return Work.percentiles(sorted);
  }

  private void endHogs() {
    if (greedy != null) {
      greedy.close();
      greedy = null;
    }
  }

  @Override
  public void close() {
    endHogs();
    domain.kill();
  }
}
