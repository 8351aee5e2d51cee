package sluice.nio.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// When waits are coalesced, and when no longer. Time is the test's.
class WaitCoalescingTest {
  private static final int MANY = 10_000;

  private long now = Long.MAX_VALUE - 5_000_000; // it wraps, as nanoTime may
  private int drops = Integer.MAX_VALUE - 50;
  private final WaitCoalescing coalescing = new WaitCoalescing(() -> now, () -> drops);

  private void waits(int count, int keys, int dropped, long micros) {
    for (int i = 0; i < count; i++) {
      now += TimeUnit.MICROSECONDS.toNanos(micros);
      drops += dropped;
      coalescing.waited(keys);
    }
  }

  /// So many small waits as make it try.
  private void dispatch() {
    for (int i = 0; i < MANY && !coalescing.isOn(); i++) {
      waits(1, 2, 2, 20);
    }
    assertThat(coalescing.isOn()).isTrue();
  }

  /// Waits until it gives up.
  ///
  /// @return how many
  private int coalescedWaits(int keys, long micros) {
    int count = 0;
    while (coalescing.isOn() && count < MANY) {
      waits(1, keys, keys, micros);
      count++;
    }
    return count;
  }

  /// @return how many small waits it takes to be tried again
  private int plainWaits() {
    int count = 0;
    while (!coalescing.isOn() && count < 100 * MANY) {
      waits(1, 2, 2, 20);
      count++;
    }
    return count;
  }

  @Test
  void manySmallWaitsWhoseKeysAreDroppedAreCoalesced() {
    dispatch();
  }

  @Test
  void aThreadThatServesItsKeysItselfIsLeftAlone() {
    waits(MANY, 2, 0, 20);
    assertThat(coalescing.isOn()).isFalse();
  }

  @Test
  void waitsThatBringMuchAreLeftAlone() {
    waits(MANY, 8, 8, 20);
    assertThat(coalescing.isOn()).isFalse();
  }

  @Test
  void waitsThatAreRareAreLeftAlone() {
    waits(MANY, 2, 2, 60);
    assertThat(coalescing.isOn()).isFalse();
  }

  @Test
  void aSelectorThatIsOnlyWokenIsLeftAlone() {
    waits(MANY, 0, 1, 20);
    assertThat(coalescing.isOn()).isFalse();
  }

  @Test
  void itEndsWhereTooLittleComes() {
    dispatch();
    assertThat(coalescedWaits(7, 100)).isEqualTo(32);
  }

  @Test
  void itEndsWhereLessComesPerTimeThanWithout() {
    dispatch(); // 100 keys per millisecond
    assertThat(coalescedWaits(10, 150)).isEqualTo(512);
    assertThat(plainWaits()).isGreaterThan(300);
  }

  @Test
  void whereItPaysItGoesOnAfterAComparison() {
    dispatch();
    for (int i = 0; i < 10; i++) {
      assertThat(coalescedWaits(16, 150)).isEqualTo(512);
      assertThat(plainWaits()).isEqualTo(128);
    }
  }

  @Test
  void anotherThreadOnTheCoreDoesNotLookLikeALoss() {
    dispatch();
    for (int i = 0; i < 31; i++) {
      waits(15, 16, 16, 150);
      waits(1, 16, 16, 4000);
    }
    assertThat(coalescing.isOn()).isTrue();
    waits(16, 16, 16, 150);
    assertThat(plainWaits()).isEqualTo(128);
  }

  @Test
  void whereItDoesNotPayItIsTriedLessAndLess() {
    dispatch();
    int before = 0;
    for (int i = 0; i < 6; i++) {
      assertThat(coalescedWaits(3, 100)).isEqualTo(32);
      int after = plainWaits();
      assertThat(after).isGreaterThan(before);
      before = after;
    }
    for (int i = 0; i < 10; i++) {
      coalescedWaits(3, 100);
      plainWaits();
    }
    long longest = TimeUnit.SECONDS.toMicros(5) / 20 + 256;
    assertThat(coalescedWaits(3, 100)).isEqualTo(32);
    assertThat(plainWaits()).isBetween(200_000, (int) longest);
  }

  @Test
  void aSelectorThatIsHardlyUsedLosesNothing() {
    dispatch();
    waits(32, 1, 1, 1_000_000);
    assertThat(coalescing.isOn()).isFalse();
  }
}
