package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Slice;

/// Checks that creating and ending domains leaks no classes, threads or descriptors.
final class UnloadTest {
  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void cyclesLeaveNothing() throws Exception {
    cycles(200, Long.MAX_VALUE);
  }

  @Test
  @Tag("acceptance")
  @Timeout(value = 300, unit = TimeUnit.SECONDS)
  void manyCyclesLeaveNothing() throws Exception {
    cycles(Math.toIntExact(Slice.current().share(10_000)), TimeUnit.SECONDS.toNanos(240));
  }

  private static void cycles(int count, long atMostNanos) throws Exception {
    for (int i = 0; i < 10; i++) {
      cycle(new ArrayList<>());
    }
    long classes = classes();
    int descriptors = descriptors();
    int threads = ManagementFactory.getThreadMXBean().getThreadCount();
    List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
    long start = System.nanoTime();
    int done = 0;
    long creating = 0;
    while (done < count && System.nanoTime() - start < atMostNanos) {
      creating += cycle(loaders);
      done++;
    }
    assertThat(done).as("cycles in the time given").isEqualTo(count);
    System.out.printf(
        Locale.ROOT,
        "%d domains, each created in %d us on average, %d ms in all%n",
        done,
        creating / done / 1_000,
        (System.nanoTime() - start) / 1_000_000);
    long left = count;
    for (int i = 0; i < 20 && left > 2; i++) {
      System.gc();
      Thread.sleep(50);
      left = loaders.stream().filter(each -> each.get() != null).count();
    }
    assertThat(left).as("loaders that are still held").isLessThanOrEqualTo(2);
    assertThat(classes() - classes).as("classes").isLessThan(60);
    assertThat(descriptors() - descriptors).as("descriptors").isLessThan(5);
    assertThat(ManagementFactory.getThreadMXBean().getThreadCount() - threads)
        .as("threads")
        .isLessThan(5);
  }

  /// Creates and ends a domain, and returns the time of the creation in nanoseconds.
  private static long cycle(List<WeakReference<ClassLoader>> loaders) throws Exception {
    long start = System.nanoTime();
    Domain domain = Guests.domain();
    long took = System.nanoTime() - start;
    loaders.add(new WeakReference<>(domain.loader()));
    Guests.start(domain, "Quick").join();
    Guests.start(domain, "EndlessPark");
    domain.kill();
    assertThat(domain.awaitEnd(Duration.ofSeconds(5))).isTrue();
    return took;
  }

  private static long classes() {
    System.gc();
    return ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
  }

  private static int descriptors() {
    String[] open = new File("/proc/self/fd").list();
    return open == null ? 0 : open.length;
  }
}
