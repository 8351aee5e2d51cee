package sluice.bench.domain;

import java.util.Arrays;
import java.util.Map;
import java.util.function.IntToLongFunction;
import sluice.domain.Domain;

/// Calls into a domain beside another that sorts forever, which is either ended and recreated once
/// a second, or never ended. Owned by the worker's main thread.
final class DomainNeighbour implements Work {
  private static final long APART_MILLIS = 1_000;

  private final Domain domain;
  private final IntToLongFunction kernel;
  private final Thread killer;
  private long[] times = new long[1024];
  private int count;
  private volatile long sum;

  /// @param kills true if the neighbour is ended
  DomainNeighbour(boolean kills) throws Exception {
    domain = Domain.create(DomainWorks.config(DomainWorks.jars()));
    kernel = kernel(domain);
    killer = Thread.ofPlatform().daemon().name("killer").start(() -> kill(kills));
  }

  private static IntToLongFunction kernel(Domain domain) throws ReflectiveOperationException {
    return Class.forName("sluice.bench.kernel.SortKernel", true, domain.loader())
        .asSubclass(IntToLongFunction.class)
        .getDeclaredConstructor()
        .newInstance();
  }

  private void kill(boolean kills) {
    try {
      while (true) {
        try (Domain victim = Domain.create(DomainWorks.config(DomainWorks.jars()))) {
          IntToLongFunction sorting = kernel(victim);
          victim.start("sorting", () -> sum = sorting.applyAsLong(Integer.MAX_VALUE));
          do {
            Thread.sleep(APART_MILLIS);
          } while (!kills);
        }
      }
    } catch (InterruptedException e) {
      // by close
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public long run(int rounds) throws Exception {
    long result = 0;
    for (int i = 0; i < rounds; i++) {
      long start = System.nanoTime();
      result += domain.call(() -> kernel.applyAsLong(1));
      if (count == times.length) {
        times = Arrays.copyOf(times, 2 * count);
      }
      times[count++] = System.nanoTime() - start;
    }
    return result;
  }

  /// Returns the percentiles of all calls since the last one.
  @Override
  public Map<String, Double> extra() {
    long[] taken = Arrays.copyOf(times, count);
    count = 0;
    return Work.percentiles(taken);
  }

  @Override
  public void close() {
    killer.interrupt();
    domain.kill();
  }
}
