package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import sluice.loop.output.Staging;
import sluice.memory.Account;

/// Memory for replies: used again when the turn that sends them is over, and not before.
class StagingTest {
  private final Account account = new Account("staging", 64L << 20);

  @Test
  void fillsSlabsFromTheFront() {
    Staging staging = new Staging(account, 4 * Staging.SLAB_BYTES);
    staging.ensure(1000);
    assertThat(staging.position()).isZero();
    staging.advance(1000);
    var first = staging.slab();
    staging.ensure(Staging.SLAB_BYTES - 1000);
    assertThat(staging.slab()).isSameAs(first);
    assertThat(staging.position()).isEqualTo(1000);
    staging.ensure(Staging.SLAB_BYTES - 999);
    assertThat(staging.slab()).isNotSameAs(first);
    assertThat(staging.position()).isZero();
    staging.reset();
    assertThat(staging.slab()).isSameAs(first);
    assertThat(staging.position()).isZero();
    staging.close();
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void isFullAtItsSoftLimitButGoesOn() {
    Staging staging = new Staging(account, 2 * Staging.SLAB_BYTES);
    for (int slab = 0; slab < 8; slab++) {
      assertThat(staging.full()).isEqualTo(slab >= 2);
      staging.ensure(Staging.SLAB_BYTES);
      staging.advance(Staging.SLAB_BYTES);
      staging.ensure(1);
    }
    staging.close();
  }

  @Test
  void givesBackTheMemoryOfABurst() {
    Staging staging = new Staging(account, Staging.SLAB_BYTES);
    for (int slab = 0; slab < 40; slab++) {
      staging.ensure(Staging.SLAB_BYTES);
      staging.advance(Staging.SLAB_BYTES);
    }
    for (int turn = 0; turn < 60; turn++) {
      staging.reset();
    }
    assertThat(account.usedBytes()).isLessThanOrEqualTo(2L * Staging.SLAB_BYTES);
    staging.close();
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void refusesWhatTheAccountHasNoRoomFor() {
    Account small = new Account("small", 2L * Staging.SLAB_BYTES);
    Staging staging = new Staging(small, Staging.SLAB_BYTES);
    staging.advance(Staging.SLAB_BYTES);
    staging.ensure(Staging.SLAB_BYTES);
    staging.advance(Staging.SLAB_BYTES);
    assertThatThrownBy(() -> staging.ensure(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("small");
    staging.close();
  }

  /// Two stagings alternate: replies of one turn are still whole when the next turn, which sends
  /// them, fills the other.
  @Test
  void repliesStayWholeWhileTheNextOnesAreMade() throws IOException {
    Random random = new Random(1);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    try (LoopRig rig = new LoopRig((connection, input) -> input.length())) {
      Connection connection = rig.open();
      rig.engine.taking(length -> random.nextInt(3) == 0 ? random.nextInt(length + 1) : length);
      for (int turn = 0; turn < 200; turn++) {
        byte[] reply = new byte[random.nextInt(turn % 20 == 0 ? 300_000 : 3_000)];
        random.nextBytes(reply);
        connection.output().put(reply);
        expected.writeBytes(reply);
        rig.loop.turn(0);
      }
      rig.turns(500);
      assertThat(rig.wire(connection)).isEqualTo(expected.toByteArray());
    }
  }

  /// A handler without measure ends its own connection only.
  @Test
  void handlerThatStagesWithoutEndFails() throws IOException {
    byte[] much = new byte[1 << 20];
    LoopConfig config = new LoopConfig(100, 4096, 8L << 20, 128 << 10, 1L << 40, 1L << 30);
    try (LoopRig rig =
        new LoopRig(
            (connection, input) -> {
              for (int i = 0; i < 100; i++) {
                connection.output().put(much);
              }
              return input.length();
            },
            config)) {
      Connection greedy = rig.open();
      Connection other = rig.open();
      rig.engine.arrive(greedy.socket, new byte[] {1});
      rig.turns(3);
      assertThat(rig.loop.counters().handlerFailures()).isEqualTo(1);
      assertThat(greedy.finished()).isTrue();
      other.output().put(new byte[] {7});
      rig.turns(2);
      assertThat(rig.wire(other)).containsExactly(7);
    }
  }
}
