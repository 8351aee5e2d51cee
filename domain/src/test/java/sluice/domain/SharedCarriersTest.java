package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.domain.carrier.Carriers;

/// Tests of domains whose virtual threads share the carriers.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class SharedCarriersTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  /// Starts more threads than there are carriers, so that all carriers are occupied.
  private static List<Thread> occupy(Domain domain, String misbehaviour) throws Exception {
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < Carriers.shared().processors() + 2; i++) {
      Runnable task = (Runnable) Guests.create(domain, "Misbehaviour$" + misbehaviour);
      Thread thread = domain.serviceThread("greedy" + i, task);
      assertThat(thread.isVirtual()).isTrue();
      thread.start();
      all.add(thread);
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "EndlessLoop",
        "CountedLoop",
        "CatchAll",
        "FinallyLoop",
        "Recursion",
        "Regex",
        "HostileHash",
        "HostileComparator",
        "OwnMonitor",
        "Power",
        "Initializer"
      })
  void neighboursGoOnBesideThreadsThatDoNotComeBack(String misbehaviour) throws Exception {
    try (Domain greedy = Guests.domain();
        Domain neighbour = Guests.domain()) {
      List<Thread> threads = occupy(greedy, misbehaviour);
      for (int i = 0; i < 50; i++) {
        Thread polite = neighbour.serviceThread("polite", () -> LockSupport.parkNanos(1_000));
        polite.start();
        assertThat(polite.join(LONG)).isTrue();
      }
      assertThat(threads).allMatch(Thread::isAlive);
      assertThat(neighbour.stat().cpuNanos()).isLessThan(greedy.stat().cpuNanos());
      greedy.kill();
      if (!misbehaviour.equals("Power")) { // code of the JDK without gates
        assertThat(greedy.awaitEnd(LONG)).isTrue();
      }
    }
  }
}
