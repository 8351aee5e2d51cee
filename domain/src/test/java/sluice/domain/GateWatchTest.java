package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class GateWatchTest {
  private static final long SECOND = 1_000_000_000L;

  private final List<String> told = new ArrayList<>();
  private final GateWatch watch = new GateWatch(() -> told.add("watch"), () -> told.add("leave"));
  private long seconds = Long.MAX_VALUE / SECOND - 20; // the clock may overflow

  /// Samples like the warden, but less often.
  private void pass(int howLong, boolean isOver) {
    for (int i = 0; i < howLong; i++) {
      watch.sampled(isOver, ++seconds * SECOND);
    }
  }

  @Test
  void gatesLookWhileTheDomainIsOverAndForAWhileAfterwards() {
    pass(5, false);
    assertThat(told).isEmpty();
    pass(3, true);
    assertThat(told).containsExactly("watch");
    pass(9, false);
    pass(1, true);
    pass(9, false);
    assertThat(told).containsExactly("watch");
    pass(1, false);
    assertThat(told).containsExactly("watch", "leave");
    pass(100, false);
    assertThat(told).containsExactly("watch", "leave");
  }

  @Test
  void eachReturnTakesTwiceAsLong() {
    int calm = 10;
    for (int round = 0; round < 12; round++) {
      told.clear();
      pass(1, true);
      pass(calm - 1, false);
      assertThat(told).as("round %d", round).containsExactly("watch");
      pass(1, false);
      assertThat(told).as("round %d", round).containsExactly("watch", "leave");
      calm = Math.min(2 * calm, 1280);
    }
  }
}
