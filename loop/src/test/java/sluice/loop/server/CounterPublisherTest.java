package sluice.loop.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.CounterValue;
import sluice.loop.counters.Counters;
import sluice.testbase.Await;

@Timeout(120)
final class CounterPublisherTest {
  private final Counters counters = Counters.inMemory();
  private final CounterPublisher publisher = new CounterPublisher(counters);
  private final AtomicLong number = new AtomicLong(5);

  private long shown() {
    return counters.snapshot().values().getFirst().value();
  }

  @Test
  void numbersAreCarriedWhenAskedFor() {
    publisher.counter("a/count", number::get);
    publisher.gauge("a/level", () -> -number.get());
    assertThat(shown()).isZero();
    assertThat(publisher.snapshot().values())
        .containsExactly(
            new CounterValue("a/count", false, 5), new CounterValue("a/level", true, -5));
  }

  @Test
  void theWatchdogCarriesThemAndSurvivesThoseThatFail() throws InterruptedException {
    CounterPublisher broken = new CounterPublisher(counters);
    broken.counter(
        "broken/count",
        () -> {
          throw new InternalError("the file was truncated");
        });
    publisher.counter("a/count", number::get);
    try (Watchdog watchdog = new Watchdog()) {
      watchdog.publish(broken);
      watchdog.publish(publisher);
      for (long expected = 6; expected < 9; expected++) {
        number.set(expected);
        long wanted = expected;
        Await.untilAsserted(
            () -> assertThat(counters.snapshot().values().getLast().value()).isEqualTo(wanted));
      }
    }
  }
}
