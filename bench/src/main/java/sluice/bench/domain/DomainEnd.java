package sluice.bench.domain;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntToLongFunction;
import sluice.domain.Domain;

/// Ends domains in which a thread sorts forever; the measured time is that from the kill to the end
/// of the thread. Owned by the worker's main thread.
final class DomainEnd implements Work {
  private long[] times = new long[64];
  private int count;
  private long nanos;
  private volatile long sum;

  @Override
  public long run(int rounds) throws Exception {
    for (int i = 0; i < rounds; i++) {
      Domain domain = Domain.create(DomainWorks.config(DomainWorks.jars()));
      IntToLongFunction kernel =
          Class.forName("sluice.bench.kernel.SortKernel", true, domain.loader())
              .asSubclass(IntToLongFunction.class)
              .getDeclaredConstructor()
              .newInstance();
      Thread thread = domain.start("sorting", () -> sum = kernel.applyAsLong(Integer.MAX_VALUE));
      Thread.sleep(30); // ends are at least 10 ms apart, and the loop is to be compiled
      long start = System.nanoTime();
      domain.kill();
      thread.join();
      note(System.nanoTime() - start);
    }
    return rounds;
  }

  private void note(long passed) {
    nanos += passed;
    if (count == times.length) {
      times = Arrays.copyOf(times, 2 * count);
    }
    times[count++] = passed;
  }

  @Override
  public long measuredNanos() {
    long since = nanos;
    nanos = 0;
    return since;
  }

  /// Returns the percentiles of all ends since the last call.
  @Override
  public Map<String, Double> extra() {
    long[] sorted = Arrays.copyOf(times, count);
    Arrays.sort(sorted);
    count = 0;
    Map<String, Double> found = new LinkedHashMap<>();
    if (sorted.length > 0) {
      found.put("p50_us", sorted[sorted.length / 2] / 1e3);
      found.put("p99_us", sorted[Math.min(sorted.length - 1, sorted.length * 99 / 100)] / 1e3);
    }
    return found;
  }
}
