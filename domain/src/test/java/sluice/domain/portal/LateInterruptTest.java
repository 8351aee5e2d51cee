package sluice.domain.portal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.domain.portal.copy.CopyQuota;
import sluice.testbase.Await;

/// Tests of late interrupts. A domain interrupts calls from disposable threads, so the called
/// thread may have begun the next call, or have ended, when the interrupt comes. It must reach only
/// its own call.
@Timeout(200)
final class LateInterruptTest {
  private static final int CALLS = 4_000;

  /// Reports if its thread was interrupted.
  public interface Probe {
    /// Runs for a time and reports.
    ///
    /// @param nanos the time to run
    boolean isInterrupted(long nanos);
  }

  static final class Probed implements Probe {
    @Override
    public boolean isInterrupted(long nanos) {
      boolean found = Thread.interrupted();
      LockSupport.parkNanos(nanos);
      return found;
    }
  }

  @Test
  void aLateInterruptReachesNoOtherCall() throws Exception {
    AtomicLong late = new AtomicLong();
    try (ExecutorService others =
        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      Portals portals = new Portals(CallPath.SERVICE);
      portals.register(
          new LateParty(others, late), "probe", Probe.class, new Probed(), CallPath.SERVICE);
      PlainParty client =
          new PlainParty("client", LateInterruptTest.class.getClassLoader(), CopyQuota.STANDARD);
      Probe probe = portals.lookup(client, "probe", Probe.class).orElseThrow();
      AtomicLong wrong = new AtomicLong();
      CountDownLatch done = new CountDownLatch(1);
      Thread caller =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                call(probe, wrong);
                done.countDown();
              });
      while (done.getCount() > 0) {
        LockSupport.parkNanos(20_000);
        caller.interrupt();
      }
      Await.end(caller);
      assertThat(wrong).hasValue(0);
      assertThat(late).as("calls that were interrupted").hasPositiveValue();
    }
  }

  private static void call(Probe probe, AtomicLong wrong) {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < CALLS; i++) {
      try {
        if (probe.isInterrupted(random.nextLong(40_000))) {
          wrong.incrementAndGet();
        }
      } catch (CallCancelled e) {
        boolean _ = Thread.interrupted();
      }
    }
  }
}
