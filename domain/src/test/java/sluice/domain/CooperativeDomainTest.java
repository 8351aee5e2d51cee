package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.domain.portal.CallPath;
import sluice.domain.portal.Portals;
import sluice.testbase.Await;

/// Tests of domains in which only one thread runs at a time.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class CooperativeDomainTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private static Domain domain() throws Exception {
    return Domain.create(
        Guests.config().withShared(Counts.class.getName()).withScheduling(Scheduling.COOPERATIVE));
  }

  /// A counter without a lock.
  public interface Counts {
    int next(int rounds);
  }

  private static final class Plain implements Counts {
    private int first;
    private int second;

    @Override
    public int next(int rounds) {
      for (int i = 0; i < rounds; i++) {
        assertThat(first).isEqualTo(second);
        first++;
        Thread.onSpinWait();
        second++;
      }
      return first;
    }
  }

  @Test
  void itsThreadsItsServicesAndItsCallersRunOneAtATime() throws Exception {
    int rounds = 2_000;
    try (Domain domain = domain();
        Domain other = Domain.create(Guests.config().withShared(Counts.class.getName()))) {
      Plain plain = new Plain();
      Portals portals = new Portals(CallPath.DIRECT);
      portals.register(domain, "counts", Counts.class, plain, CallPath.SERVICE, 4);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        threads.add(
            domain.start(
                "inside",
                () -> {
                  for (int round = 0; round < rounds; round++) {
                    plain.next(1);
                    LockSupport.parkNanos(1);
                  }
                }));
        threads.add(
            other.start(
                "calls",
                () -> {
                  Counts counts = portals.lookup(other, "counts", Counts.class).orElseThrow();
                  for (int round = 0; round < rounds; round++) {
                    int _ = counts.next(1);
                  }
                }));
      }
      for (int round = 0; round < rounds; round++) {
        int _ = domain.call(() -> plain.next(1));
      }
      for (Thread each : threads) {
        assertThat(each.join(LONG)).isTrue();
      }
      assertThat(plain.first).isEqualTo(9 * rounds);
    }
  }

  @Test
  void itHasNoPlatformThreads() throws Exception {
    try (Domain domain = domain()) {
      assertThat(domain.call(() -> Thread.currentThread().isVirtual())).isTrue();
      Thread started = domain.start("main", () -> {});
      assertThat(started.isVirtual()).isTrue();
      Runnable guest = (Runnable) Guests.create(domain, "Threads$OfPlatform");
      assertThatThrownBy(() ->
              domain.call(() -> {
                guest.run();
                return null;
              }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("starts a platform thread. Why: its scheduling is cooperative");
    }
  }

  @Test
  void itsTasksWithoutAnExecutorRunOnThreadsOfItsOwn() throws Exception {
    try (Domain domain = domain()) {
      Object guest = Guests.create(domain, "Threads$OfTasks");
      CompletableFuture<?> seen =
          (CompletableFuture<?>)
              domain.call(() -> ((java.util.concurrent.Callable<?>) guest).call());
      assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo(true);
    }
  }

  @Test
  void itsServicesRunOnThreadsOfItsOwn() throws Exception {
    try (Domain domain = domain()) {
      Portals portals = new Portals(CallPath.DIRECT);
      assertThatThrownBy(
              () -> portals.register(domain, "counts", Counts.class, new Plain(), CallPath.DIRECT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("one thread runs at a time. Fix: CallPath.SERVICE");
    }
  }

  @Test
  void itEndsWhileOneOfItsThreadsRunsAndOthersWait() throws Exception {
    try (Domain domain = domain()) {
      domain.start("spins", (Runnable) Guests.create(domain, "Misbehaviour$EndlessLoop"));
      for (int i = 0; i < 10; i++) {
        domain.start("waits", () -> LockSupport.parkNanos(1_000));
      }
      Await.until("its use of a processor", () -> domain.stat().cpuNanos() > 5_000_000);
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
    }
  }

  @Test
  void aCallThatIsUnderWayEndsWithIt() throws Exception {
    try (Domain domain = domain()) {
      Runnable endless = (Runnable) Guests.create(domain, "Misbehaviour$EndlessLoop");
      Thread killer =
          Thread.ofPlatform()
              .start(() -> {
                LockSupport.parkNanos(20_000_000);
                domain.kill();
              });
      assertThatThrownBy(() ->
              domain.call(() -> {
                endless.run();
                return null;
              }))
          .isInstanceOf(DomainEnded.class);
      killer.join();
    }
  }
}
