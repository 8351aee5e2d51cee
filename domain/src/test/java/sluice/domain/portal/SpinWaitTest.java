package sluice.domain.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests of spins that are worthwhile and of others that are not.
@Timeout(60)
final class SpinWaitTest {
  private final SpinWait spins = new SpinWait();
  private int asked;

  @BeforeEach
  void severalProcessors() {
    assumeTrue(
        Runtime.getRuntime().availableProcessors() > 1, "with one processor no caller spins");
  }

  private int await(boolean holdsAtTheThird) {
    asked = 0;
    spins.await(() -> ++asked == 3 && holdsAtTheThird);
    return asked;
  }

  @Test
  void aConditionIsAskedUntilItHolds() {
    for (int i = 0; i < 10; i++) {
      assertThat(await(true)).isEqualTo(3);
    }
  }

  @Test
  void afterThreeMissesOneCallInSixtyFourSpins() {
    for (int i = 0; i < 3; i++) {
      assertThat(await(false)).isPositive();
    }
    for (int i = 3; i < 64; i++) {
      assertThat(await(false)).isZero();
    }
    assertThat(await(true)).isEqualTo(3);
    assertThat(await(true)).as("a hit ends the pause").isEqualTo(3);
  }
}
