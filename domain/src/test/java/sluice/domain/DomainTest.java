package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.domain.guest.Polite;
import sluice.domain.portal.CallPath;
import sluice.domain.portal.Portals;
import sluice.testbase.Await;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class DomainTest {
  @SuppressWarnings("unchecked")
  private static List<String> polite(Domain domain) throws Exception {
    return domain.call(((Callable<List<String>>) Guests.create(domain, "Polite")));
  }

  @Test
  void theBudgetLimitsWhatAPortalCallCopiesIn() throws Exception {
    assertThat(Budget.parse("copy=4KB").copyBytes()).isEqualTo(4096);
    Domain host = Guests.domain();
    Domain small = Domain.create(Guests.config().withBudget(Budget.parse("copy=2KB")));
    try (host;
        small) {
      Portals portals = new Portals(CallPath.SERVICE);
      Class<?> type = host.loader().loadClass("sluice.domain.guest.Texts");
      portals.register(
          host, "texts", type, Guests.create(host, "Texts$Repeated"), CallPath.SERVICE);
      Class<?> seen = small.loader().loadClass("sluice.domain.guest.Texts");
      Object texts = portals.lookup(small, "texts", seen).orElseThrow();
      java.lang.reflect.Method of = seen.getMethod("of", int.class);
      assertThat((String) of.invoke(texts, 100)).hasSize(100);
      assertThatThrownBy(() -> of.invoke(texts, 2_000))
          .hasCauseInstanceOf(sluice.domain.portal.copy.CopyRefused.class)
          .cause()
          .hasMessageContaining("quota of bytes");
    }
  }

  @Test
  void recordsHaveTheirMethods() throws Exception {
    try (Domain domain = Guests.domain()) {
      Object pair = Guests.create(domain, "Pair");
      assertThat(((java.util.function.Supplier<?>) pair).get())
          .isEqualTo("Pair[first=one, second=2] true true");
    }
  }

  @Test
  void hasStaticsStreamsPropertiesThreadsAndPatternsOfItsOwn() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    DomainConfig config =
        Guests.config()
            .withProperties(Map.of("mine", "yes"))
            .withStreams(
                new DomainConfig.Streams(
                    InputStream.nullInputStream(),
                    new PrintStream(printed, true, StandardCharsets.UTF_8),
                    System.err));
    List<String> plain = new Polite().call();
    System.clearProperty("theirs");
    try (Domain domain = Domain.create(config);
        Domain other = Guests.domain()) {
      List<String> seen = polite(domain);
      assertThat(seen)
          .contains("mine yes", "thread domain-" + config.name(), "pool domain-" + config.name())
          .contains("count 1", "host", "a|b|c", "a+b*c", "parallel 6", "locked 313");
      assertThat(polite(domain)).contains("count 2");
      assertThat(polite(other)).contains("count 1", "mine none");
      assertThat(Guests.text(printed)).isEqualTo("printed\nprinted\n".replace("\n", nl()));
      assertThat(System.getProperty("theirs")).isNull();
      List<String> same = new ArrayList<>(seen);
      same.removeIf(line -> line.matches("(mine|thread|pool) .*"));
      assertThat(plain).as("what is not redirected is as outside").containsAll(same);
    }
  }

  private static String nl() {
    return System.lineSeparator();
  }

  @Test
  void runsAMainClass() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    DomainConfig config =
        Guests.config()
            .withStreams(
                new DomainConfig.Streams(
                    InputStream.nullInputStream(),
                    new PrintStream(printed, true, StandardCharsets.UTF_8),
                    System.err));
    try (Domain domain = Domain.create(config)) {
      domain.run("sluice.domain.guest.Polite", "a", "b").join();
      assertThat(Guests.text(printed)).isEqualTo("main a b" + nl());
      assertThatThrownBy(() -> domain.run("sluice.domain.guest.None"))
          .isInstanceOf(ClassNotFoundException.class);
    }
  }

  @Test
  void nameIsTakenUntilTheDomainEnds() throws Exception {
    DomainConfig config = Guests.config();
    Domain first = Domain.create(config);
    assertThatThrownBy(() -> Domain.create(config)).hasMessageContaining("the name is taken");
    int[] ends = {0};
    first.onEnd(() -> ends[0]++);
    first.close();
    first.close();
    assertThat(ends[0]).isEqualTo(1);
    first.onEnd(() -> ends[0]++);
    assertThat(ends[0]).as("at once after the end").isEqualTo(2);
    assertThat(first.alive()).isFalse();
    Domain.create(config).close();
    assertThatThrownBy(() -> DomainConfig.of("../x", Path.of(".")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aTaskAtTheEndThatThrowsKeepsNothingAlive() throws Exception {
    Domain domain = Domain.create(Guests.config());
    Guests.start(domain, "EndlessPark");
    boolean[] seen = {true, false};
    domain.onEnd(() -> seen[0] = domain.alive());
    domain.onEnd(() -> {
      throw new IllegalArgumentException("a bad task");
    });
    domain.onEnd(() -> seen[1] = true);
    assertThatThrownBy(domain::kill)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("a bad task");
    assertThat(domain.awaitEnd(Duration.ofSeconds(5))).as("its threads are interrupted").isTrue();
    assertThat(seen).as("alive in a task, task after the bad one").containsExactly(false, true);
  }

  @Test
  void theWardenOutlivesALookThatThrows() throws Exception {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    BlockingQueue<Throwable> told = new LinkedBlockingQueue<>();
    UncheckedIOException bad = new UncheckedIOException(new IOException("a jar stays open"));
    AtomicInteger looks = new AtomicInteger();
    CountDownLatch second = new CountDownLatch(1);
    Thread.setDefaultUncaughtExceptionHandler((_, problem) -> told.add(problem));
    try {
      Warden.watch(() -> {
        if (looks.incrementAndGet() == 1) {
          throw bad;
        }
        second.countDown();
        return false;
      });
      assertThat(second.await(10, TimeUnit.SECONDS)).as("looks again").isTrue();
      assertThat(told.poll()).isSameAs(bad);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  @Test
  void threadsOverTheBudgetAreRefused() throws Exception {
    try (Domain domain = Domain.create(Guests.config().withBudget(Budget.parse("threads=3")))) {
      for (int i = 0; i < 3; i++) {
        Guests.start(domain, "EndlessPark");
      }
      assertThatThrownBy(() -> Guests.start(domain, "EndlessPark"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("its budget is 3 threads")
          .hasMessageContaining("Fix: ");
      assertThat(domain.stat().threads()).isEqualTo(3);
    }
  }

  @Test
  void processorsOverTheBudgetAreHeldBack() throws Exception {
    held("EndlessLoop", "cpu=10%");
  }

  @Test
  void allocationOverTheBudgetIsHeldBack() throws Exception {
    held("AllocationBomb", "alloc=1MB/s");
  }

  /// Runs a guest until its threads are held at their gates, and for two more seconds.
  private static void held(String guest, String budget) throws Exception {
    Budget parsed = Budget.parse(budget);
    try (Domain domain = Domain.create(Guests.config().withBudget(parsed))) {
      Guests.start(domain, guest);
      Await.until("a domain that is held", () -> domain.stat().isHeld());
      DomainStat before = domain.stat();
      long start = System.nanoTime();
      Thread.sleep(2_000);
      DomainStat after = domain.stat();
      double seconds = (System.nanoTime() - start) / 1e9;
      // Without the budget, a loop takes 1 s each second and allocates gigabytes.
      double cpu = (after.cpuNanos() - before.cpuNanos()) / 1e9 / seconds;
      double bytes = (after.allocatedBytes() - before.allocatedBytes()) / seconds;
      assertThat(cpu).isLessThan(parsed.cpuShare() + 0.4);
      assertThat(bytes).isLessThan(parsed.allocationBytesPerSecond() * 40.0);
      domain.kill();
      assertThat(domain.awaitEnd(Duration.ofSeconds(5))).as("a held domain ends too").isTrue();
    }
  }

  @Test
  void budgetsAreParsed() {
    assertThat(Budget.parse("cpu=20%,alloc=50MB/s,threads=16"))
        .isEqualTo(new Budget(16, 0.2, 50L << 20, 1 << 20, 256, Long.MAX_VALUE, 1));
    assertThat(Budget.parse("sockets=0,memory=2MB").sockets()).isZero();
    assertThat(Budget.parse("sockets=0,memory=2MB").memoryBytes()).isEqualTo(2 << 20);
    assertThat(Budget.parse("cpu=2").cpuShare()).isEqualTo(2);
    for (String wrong :
        List.of(
            "",
            "cpu",
            "cpu=x",
            "alloc=5",
            "alloc=/s",
            "threads=0",
            "cpu=0",
            "sockets=-1",
            "memory=1")) {
      assertThatThrownBy(() -> Budget.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
