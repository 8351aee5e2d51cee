package sluice.nfs.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Tests which delays of a record count against its client.
final class MinimumDataRateTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int MEGABYTE = 1 << 20;

  private final MinimumDataRate rate = new MinimumDataRate();
  private long now = Long.MAX_VALUE - 3 * SECOND; // times may overflow

  MinimumDataRateTest() {
    rate.begin(now);
  }

  private boolean late(double afterSeconds, int bytes) {
    now += (long) (afterSeconds * SECOND);
    return rate.late(now, bytes);
  }

  @Test
  void aClientThatSendsNothingIsLateAtTheSecondLook() {
    assertThat(late(0.9, 0)).isFalse();
    assertThat(late(0.2, 0)).isFalse();
    assertThat(late(0.1, 0)).isFalse();
    assertThat(late(0.2, 0)).isTrue();
  }

  @Test
  void bytesEarnTime() {
    assertThat(late(5.1, MEGABYTE)).isFalse();
    assertThat(late(0.2, MEGABYTE)).isFalse();
    assertThat(late(0.3, MEGABYTE)).isTrue();
    assertThat(late(0, 2 * MEGABYTE)).isFalse();
  }

  /// The server has paused; it reads the pending input before it decides.
  @Test
  void aPauseOfTheServerIsForgiven() {
    assertThat(late(3, 2000)).isFalse();
    assertThat(late(0.3, MEGABYTE)).isFalse();
    assertThat(late(0.3, MEGABYTE)).isFalse();
  }

  @Test
  void theTimeForWhichItWasHeldUpIsForgiven() {
    now += 20 * SECOND;
    rate.resume(now, 64 << 10);
    assertThat(late(0, 64 << 10)).isFalse();
    assertThat(late(0.1, 64 << 10)).isFalse();
    assertThat(late(0.2, 64 << 10)).isFalse();
    assertThat(late(0.3, 64 << 10)).isTrue();
    rate.resume(now, 64 << 10);
    assertThat(late(0.3, 192 << 10)).isFalse();
  }

  @Test
  void beingHeldUpForAMomentTakesNoTimeAway() {
    rate.resume(now, 64 << 10);
    assertThat(late(1.2, 64 << 10)).isFalse();
    assertThat(late(0.1, 64 << 10)).isFalse();
  }

  @Test
  void theNextRecordBeginsAnew() {
    assertThat(late(2, 0)).isFalse();
    rate.begin(now);
    assertThat(late(0.9, 0)).isFalse();
  }
}
