package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What threads at a queue meet there.
@Timeout(120)
final class GuardTest {
  private final Guard guard = new Guard("queue of the test");

  @Test
  void aSecondThreadIsRefused() throws Exception {
    guard.enter();
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      Future<?> second = other.submit(guard::enter);
      assertThatThrownBy(second::get).hasMessageContaining("queue of the test");
      assertThat(other.submit(guard::tryPass).get()).isFalse();
      guard.exit();
      other.submit(guard::enter).get();
    }
    assertThatThrownBy(guard::enter).isInstanceOf(IllegalStateException.class);
  }

  /// The queue's own thread is never refused because another one goes on with what is posted.
  @Test
  void aThreadThatPassesIsWaitedFor() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    int passes = 0;
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      Future<Integer> entered = other.submit(() -> enterUntil(done));
      long end = System.nanoTime() + 300_000_000;
      while (System.nanoTime() < end || passes == 0) {
        if (guard.tryPass()) {
          passes++;
          guard.exitPass();
        }
      }
      done.set(true);
      assertThat(entered.get()).isPositive();
    }
  }

  private int enterUntil(AtomicBoolean done) {
    int entered = 0;
    do {
      guard.enter();
      guard.exit();
      entered++;
    } while (!done.get());
    return entered;
  }
}
