package sluice.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Tests when a change that finds no space gives up.
final class SpaceWaitTest {
  @Test
  void twoSecondsEndIt() {
    AtomicLong clock = new AtomicLong(-5);
    SpaceWait wait = new SpaceWait(clock::get);
    for (int i = 0; i < 1000; i++) {
      assertThat(wait.mayTryAgain()).isTrue();
    }
    clock.addAndGet(SpaceWait.LIMIT_NANOS - 1);
    assertThat(wait.mayTryAgain()).isTrue();
    clock.incrementAndGet();
    assertThat(wait.mayTryAgain()).isFalse();
  }

  @Test
  void eightTriesAreGivenHoweverLongTheyTake() {
    AtomicLong clock = new AtomicLong();
    SpaceWait wait = new SpaceWait(clock::get);
    for (int i = 0; i < 8; i++) {
      clock.addAndGet(SpaceWait.LIMIT_NANOS);
      assertThat(wait.mayTryAgain()).isTrue();
    }
    assertThat(wait.mayTryAgain()).isFalse();
  }
}
