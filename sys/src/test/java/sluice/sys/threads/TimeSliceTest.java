package sluice.sys.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.Errno;

/// Tests time slices of threads that another thread changes.
@Timeout(60)
final class TimeSliceTest {
  /// Returns true if the kernel reports time slices; earlier kernels do not.
  private static boolean isKnown() {
    return TimeSlice.of(TimeSlice.threadNumber()) > 0;
  }

  @Test
  void aThreadGetsTheSliceAndTheKernelsOwnAgain() throws Exception {
    AtomicInteger number = new AtomicInteger();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    Thread thread =
        Thread.ofPlatform()
            .start(() -> {
              number.set(TimeSlice.threadNumber());
              started.countDown();
              Uninterrupted.await(over::await);
            });
    started.await();
    long before = TimeSlice.of(number.get());
    assertThat(TimeSlice.set(number.get(), TimeSlice.LONGEST_NANOS)).isZero();
    long during = TimeSlice.of(number.get());
    assertThat(TimeSlice.set(number.get(), TimeSlice.DEFAULT_NANOS)).isZero();
    long after = TimeSlice.of(number.get());
    over.countDown();
    thread.join();
    assertThat(during).isEqualTo(isKnown() ? TimeSlice.LONGEST_NANOS : 0);
    assertThat(after).isEqualTo(before);
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThat(TimeSlice.set(TimeSlice.threadNumber(), -1)).isEqualTo(-Errno.EINVAL);
    assertThat(TimeSlice.set(Integer.MAX_VALUE, 1_000_000)).isEqualTo(-Errno.ESRCH);
    assertThat(TimeSlice.of(Integer.MAX_VALUE)).isEqualTo(-Errno.ESRCH);
  }
}
