package sluice.vi.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One holder at a time, whichever way it took the flag.
@Timeout(120)
final class BiasedFlagTest {
  private static final int MANY = 10_000;

  private final BiasedFlag flag = new BiasedFlag();

  /// Changed by the holder of the flag alone.
  private long count;

  private void takeOften() {
    for (int i = 0; i < MANY; i++) {
      assertThat(flag.tryTake()).isTrue();
      flag.free();
    }
  }

  private static <T> T elsewhere(Callable<T> work) throws Exception {
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      return other.submit(work).get();
    }
  }

  @Test
  void aTakenFlagIsNotTakenAgain() throws Exception {
    for (int i = 0; i < MANY; i++) {
      assertThat(flag.isTaken()).isFalse();
      assertThat(flag.tryTake()).isTrue();
      assertThat(flag.isTaken()).isTrue();
      assertThat(flag.tryTake()).isFalse();
      flag.free();
    }
    assertThat(flag.tryTake()).isTrue();
    assertThat(elsewhere(flag::tryTake)).isFalse();
    assertThat(flag.isTaken()).isTrue();
    assertThat(flag.tryTake()).isFalse();
    flag.free();
    assertThat(elsewhere(flag::tryTake)).isTrue();
    assertThat(flag.tryTake()).isFalse();
  }

  @Test
  void anotherThreadFreesIt() throws Exception {
    for (int round = 0; round < 3; round++) {
      takeOften();
      assertThat(flag.tryTake()).isTrue();
      boolean takenAgain =
          elsewhere(() -> {
            flag.free();
            return flag.tryTake();
          });
      assertThat(takenAgain).isTrue();
      assertThat(flag.tryTake()).isFalse();
      flag.free();
    }
  }

  /// Threads that hold it thousands of times in a row, and others that come between: what the
  /// holder alone changes is never changed by two at one time.
  @Test
  void holdersExcludeEachOther() throws Exception {
    int rounds = 200;
    List<Future<Long>> counts = new ArrayList<>();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (int thread = 0; thread < 3; thread++) {
        long naps = thread; // the first never rests
        counts.add(threads.submit(() -> countOften(rounds, naps)));
      }
      long sum = 0;
      for (Future<Long> each : counts) {
        sum += each.get();
      }
      assertThat(flag.tryTake()).isTrue();
      assertThat(count).isEqualTo(sum);
      assertThat(sum).isPositive();
    }
  }

  private long countOften(int rounds, long napMillis) throws InterruptedException {
    long mine = 0;
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < (napMillis == 0 ? MANY : 10); i++) {
        if (flag.tryTake()) {
          count++;
          mine++;
          flag.free();
        }
      }
      Thread.sleep(napMillis);
    }
    return mine;
  }
}
