package sluice.host.life;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ResidentMemoryTest {
  private static final long MEGABYTE = 1 << 20;

  private long resident = 60 * MEGABYTE;
  private long garbage;
  private int times;
  private final ResidentMemory memory = new ResidentMemory(() -> resident, this::letGo);

  private void letGo() {
    times++;
    resident -= garbage;
    garbage = 0;
  }

  @Test
  void growthWithinTheSlackIsLeftAlone() {
    resident += ResidentMemory.SLACK_BYTES;
    memory.look();
    assertThat(times).isZero();
  }

  @Test
  void garbageReachesAPlateau() {
    long most = 0;
    for (int i = 0; i < 100; i++) {
      garbage += 10 * MEGABYTE;
      resident += 10 * MEGABYTE;
      memory.look();
      most = Math.max(most, resident);
    }
    assertThat(most).isLessThanOrEqualTo(100 * MEGABYTE);
    assertThat(times).isEqualTo(25);
  }

  @Test
  void whatIsInUseIsNotAskedForAgainAndAgain() {
    for (int i = 0; i < 100; i++) {
      resident += 10 * MEGABYTE;
      memory.look();
    }
    assertThat(times).isBetween(5, 12); // asked again after growth by a quarter, not every 32 MB
    int before = times;
    for (int i = 0; i < 100; i++) {
      memory.look();
    }
    assertThat(times).isEqualTo(before);
  }

  @Test
  void theLevelFallsWithTheMemory() {
    resident -= 20 * MEGABYTE;
    memory.look();
    resident += ResidentMemory.SLACK_BYTES + MEGABYTE;
    memory.look();
    assertThat(times).isEqualTo(1);
  }
}
