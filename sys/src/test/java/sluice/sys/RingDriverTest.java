package sluice.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.RingDriver;
import sluice.testbase.AllocatedBytes;

@Timeout(120)
final class RingDriverTest {
  private static final int FLAGS = IoUring.SETUP_SINGLE_ISSUER | IoUring.SETUP_DEFER_TASKRUN;

  /// A setup flag: the ring rejects every call of `io_uring_enter(2)` with EBADFD.
  private static final int SETUP_R_DISABLED = 1 << 6;

  private final List<Long> seen = new ArrayList<>();
  private final RingDriver.Sink sink = (userData, _, _) -> seen.add(userData);

  @Test
  void aTurnSubmitsAndADrainHandsOverWhatHasCome() throws Exception {
    try (IoUring ring = IoUring.open(8, 16, FLAGS)) {
      RingDriver driver = new RingDriver(ring);
      ring.submission().nop(1);
      ring.submission().nop(2);
      driver.turn(-1);
      assertThat(driver.drain(sink)).isEqualTo(2);
      assertThat(driver.drain(sink)).isZero();
      assertThat(seen).containsExactly(1L, 2L);
    }
  }

  @Test
  void aWaitThatIsOverIsNoFailure() throws Exception {
    try (IoUring ring = IoUring.open(8, 16, FLAGS)) {
      RingDriver driver = new RingDriver(ring);
      driver.turn(TimeUnit.MILLISECONDS.toNanos(1));
      driver.turn(0);
      assertThat(driver.drain(sink)).isZero();
    }
  }

  @Test
  void aTurnWithCompletionsDoesNotWait() throws Exception {
    try (IoUring ring = IoUring.open(8, 16, FLAGS)) {
      RingDriver driver = new RingDriver(ring);
      ring.submission().nop(1);
      driver.turn(-1);
      driver.turn(-1);
      assertThat(driver.await()).isZero();
      driver.drain(sink);
      assertThat(seen).containsExactly(1L);
    }
  }

  @Test
  void whatCannotBeUsedIsToldInBothWays() throws Exception {
    try (IoUring ring = IoUring.open(8, 16, SETUP_R_DISABLED)) {
      RingDriver driver = new RingDriver(ring);
      assertThatThrownBy(() -> driver.turn(0))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("io_uring_enter");
      assertThat(driver.await()).isNegative();
    }
  }

  @Test
  void aCompletionForWhichTheSinkThrowsIsGone() throws Exception {
    try (IoUring ring = IoUring.open(8, 16, FLAGS)) {
      RingDriver driver = new RingDriver(ring);
      ring.submission().nop(1);
      ring.submission().nop(2);
      driver.turn(-1);
      assertThatThrownBy(() ->
              driver.drain((_, _, _) -> {
                throw new ArithmeticException();
              }))
          .isInstanceOf(ArithmeticException.class);
      assertThat(driver.drain(sink)).isEqualTo(1);
      assertThat(seen).containsExactly(2L);
    }
  }

  @Test
  void theEndWithinADrainHandsOverTheRestElsewhere() throws Exception {
    List<Long> rest = new ArrayList<>();
    IoUring ring = IoUring.open(8, 16, FLAGS);
    try {
      RingDriver driver = new RingDriver(ring);
      for (int i = 1; i <= 4; i++) {
        ring.submission().nop(i);
      }
      driver.turn(-1);
      driver.drain((userData, _, _) -> {
        seen.add(userData);
        if (userData == 2) {
          driver.end((left, _, _) -> rest.add(left));
          ring.close();
        }
      });
    } finally {
      ring.close();
    }
    assertThat(seen).containsExactly(1L, 2L);
    assertThat(rest).containsExactly(3L, 4L);
  }

  @Test
  void turningAllocatesNothing() throws Exception {
    try (IoUring ring = IoUring.open(8, 16, FLAGS)) {
      RingDriver driver = new RingDriver(ring);
      RingDriver.Sink none = (_, _, _) -> {};
      long bytes =
          AllocatedBytes.settled(
              0,
              () -> {
                for (int i = 0; i < 1000; i++) {
                  ring.submission().nop(1);
                  driver.turn(-1);
                  driver.drain(none);
                }
              });
      assertThat(bytes).isZero();
    }
  }
}
