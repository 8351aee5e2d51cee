package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;
import sluice.testbase.CpuTime;

/// Tests of host threads that call code of domains: their use is charged to the domain.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class VisitTest {
  private static final long PIECE = TimeUnit.MILLISECONDS.toNanos(50);

  private static boolean use(long nanos) {
    long begin = CpuTime.ofThisThread();
    while (CpuTime.ofThisThread() - begin < nanos) {
      Thread.onSpinWait();
    }
    return true;
  }

  @Test
  void aCallIsChargedToItsDomainWhileItRunsAndOnce() throws Exception {
    try (Domain domain = Guests.domain()) {
      FutureTask<Boolean> call = new FutureTask<>(() -> domain.call(() -> use(6 * PIECE)));
      Thread caller = Thread.ofPlatform().start(call);
      Await.until("a charge in the middle", () -> domain.stat().cpuNanos() > PIECE);
      caller.join();
      assertThat(call.get()).isTrue();
      assertThat(domain.stat().cpuNanos()).isBetween(6 * PIECE, 8 * PIECE);
      boolean _ = use(2 * PIECE);
      assertThat(domain.stat().cpuNanos()).as("not after the call").isLessThan(8 * PIECE);
    }
  }

  @Test
  void aCallInACallIsChargedToTheInnerDomain() throws Exception {
    try (Domain outer = Guests.domain();
        Domain inner = Guests.domain()) {
      boolean _ =
          outer.call(() ->
              use(PIECE)
                  && outer.call(() -> use(PIECE))
                  && inner.call(() -> use(4 * PIECE))
                  && use(PIECE));
      assertThat(outer.stat().cpuNanos()).isBetween(3 * PIECE, 4 * PIECE);
      assertThat(inner.stat().cpuNanos()).isBetween(4 * PIECE, 5 * PIECE);
    }
  }

  @Test
  void callsThatFailAndCallsOfEndedDomainsEndTheirVisits() throws Exception {
    try (Domain outer = Guests.domain();
        Domain inner = Guests.domain()) {
      boolean _ =
          outer.call(() -> {
            try {
              return inner.call(() -> {
                inner.kill();
                throw new IllegalStateException();
              });
            } catch (DomainEnded e) {
              return use(2 * PIECE);
            }
          });
      assertThat(outer.stat().cpuNanos()).isGreaterThan(2 * PIECE);
      assertThat(inner.stat().cpuNanos()).isLessThan(2 * PIECE);
    }
  }
}
