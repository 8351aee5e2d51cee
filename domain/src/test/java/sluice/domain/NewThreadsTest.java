package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.domain.guest.NewThreads;
import sluice.testbase.Await;

/// Tests of `new Thread` in a domain, which makes a virtual thread that a program can use like a
/// platform thread.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class NewThreadsTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private static List<?> lines(Domain domain, Class<?> guest) throws Exception {
    var task = (Callable<?>) Guests.create(domain, "NewThreads$" + guest.getSimpleName());
    FutureTask<Object> lines = new FutureTask<>(task::call);
    domain.start("asks", lines);
    return (List<?>) lines.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void itIsAVirtualThreadUnlessThatCannotBe() throws Exception {
    try (Domain domain = Guests.domain()) {
      String own = " domain-" + domain.name();
      assertThat(lines(domain, NewThreads.Ways.class))
          .isEqualTo(
              List.of(
                  "a virtual" + own,
                  "b virtual" + own,
                  "c virtual" + own,
                  "d virtual" + own,
                  "e virtual" + own,
                  "f virtual" + own,
                  "outer virtual" + own,
                  "large platform" + own,
                  "in a group platform below",
                  "subsub platform" + own,
                  "by reference virtual" + own,
                  "true",
                  "true",
                  "false",
                  "true"));
    }
  }

  @Test
  void aProgramUsesItAsAPlatformThread() throws Exception {
    try (Domain domain = Guests.domain()) {
      assertThat(lines(domain, NewThreads.Use.class))
          .isEqualTo(
              List.of(
                  "NEW",
                  "runs as used",
                  "true",
                  "interrupted",
                  "of the thread",
                  "TERMINATED",
                  "null",
                  "no name",
                  "no clock"));
    }
  }

  @Test
  void itCountsInTheBudget() throws Exception {
    Budget two = Budget.parse("threads=2");
    try (Domain domain = Domain.create(Guests.config().withBudget(two))) {
      assertThat(lines(domain, NewThreads.Use.class)).isNotEmpty(); // one asks, one is used
      Await.until("both to end", () -> domain.stat().threads() == 0);
      Runnable parks = (Runnable) Guests.create(domain, "Misbehaviour$EndlessPark");
      domain.start("first", parks);
      assertThatThrownBy(() -> lines(domain, NewThreads.Use.class))
          .hasStackTraceContaining("its budget is 2 threads");
    }
  }

  @Test
  void statTellsPlatformThreadsFromOthers() throws Exception {
    try (Domain domain = Guests.domain()) {
      domain.start("waits", (Runnable) Guests.create(domain, "Misbehaviour$EndlessPark"));
      assertThat(domain.stat().threads()).isOne();
      assertThat(domain.stat().platformThreads()).isZero();
      Runnable starts = (Runnable) Guests.create(domain, "Threads$OfPlatform");
      domain.start("starts", starts).join();
      assertThat(domain.stat().threads()).isEqualTo(2);
      assertThat(domain.stat().platformThreads()).isOne();
    }
  }

  /// Checks a thread of the JDK that a virtual thread starts, which is in no group of the domain.
  @ParameterizedTest
  @ValueSource(strings = {"Hidden", "HiddenBelow"})
  void aThreadOfTheJdkIsCountedWhateverItsStarterInherits(String name) throws Exception {
    Budget three = Budget.parse("threads=3");
    Domain domain = Domain.create(Guests.config().withBudget(three));
    Set<Thread> before = timers();
    domain.start("hides", (Runnable) Guests.create(domain, "NewThreads$" + name));
    Await.until("the timer to run", () -> !before.containsAll(timers()));
    Runnable parks = (Runnable) Guests.create(domain, "Misbehaviour$EndlessPark");
    domain.start("one more", parks);
    assertThatThrownBy(() -> domain.start("too many", parks))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("its budget is 3 threads");
    domain.kill();
    assertThat(domain.awaitEnd(LONG)).isTrue();
  }

  private static Set<Thread> timers() {
    Set<Thread> all = new HashSet<>(Thread.getAllStackTraces().keySet());
    all.removeIf(each -> !each.getName().startsWith("Timer-"));
    return all;
  }
}
