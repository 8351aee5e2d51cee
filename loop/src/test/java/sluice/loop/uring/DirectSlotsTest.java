package sluice.loop.uring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.loop.engine.Token;
import sluice.sys.SysException;
import sluice.sys.uring.IoUring;

/// Which sends go by slot. That they arrive and that closing ends them is the engines' contract.
final class DirectSlotsTest {
  private IoUring ring;
  private DirectSlots slots;

  @BeforeEach
  void open() throws SysException {
    ring = IoUring.open(64, 64, IoUring.SETUP_SINGLE_ISSUER | IoUring.SETUP_DEFER_TASKRUN);
    slots = new DirectSlots(ring);
  }

  @AfterEach
  void close() {
    ring.close();
  }

  @Test
  void theThirdSendGoesBySlotUntilTheSocketIsClosed() {
    assertThat(slots.forSend(0)).isFalse();
    assertThat(staged()).isZero();
    assertThat(slots.forSend(0)).isFalse();
    assertThat(staged()).as("the slot is asked for").isEqualTo(1);
    assertThat(slots.forSend(0)).isTrue();
    slots.clear(0);
    assertThat(staged()).as("and freed").isEqualTo(2);
    assertThat(slots.forSend(0)).as("another socket of that number").isFalse();
  }

  @Test
  void aSocketThatSentOnceCostsNothing() {
    slots.forSend(1);
    slots.clear(1);
    assertThat(staged()).isZero();
  }

  @Test
  void numbersBeyondTheTableGoWithout() {
    for (int i = 0; i < 4; i++) {
      assertThat(slots.forSend(1 << 20)).isFalse();
    }
    assertThat(staged()).isZero();
  }

  @Test
  void afterARefusalNoneIsAskedFor() {
    slots.forSend(2);
    slots.forSend(2);
    long refusal = Token.of(127, 0, 2);
    assertThat(DirectSlots.isRefusal(refusal)).isTrue();
    slots.refused(refusal);
    for (int i = 0; i < 3; i++) {
      assertThat(slots.forSend(2)).isFalse();
      assertThat(slots.forSend(3)).isFalse();
    }
    assertThat(staged()).isEqualTo(1);
  }

  private int staged() {
    return ring.submission().staged();
  }
}
