package sluice.nfs.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import sluice.nfs.rpc.DuplicateKey;

/// Records of answers, and what takes their place.
final class RecordSlotTest {
  @Test
  void slotsOfAnyContentAreReadWithoutHarm() {
    Random random = new Random(11);
    byte[] bytes = new byte[RecordSlot.BYTES];
    DuplicateKey key = new DuplicateKey(7, -8, 1, 2, 3 << 8 | 9, 4);
    byte[] answer = {0, 0, 0, 0, 1, 2, 3, 4};
    byte[] good = new byte[RecordSlot.BYTES];
    random.nextBytes(good); // of the record before
    assertThat(RecordSlot.encode(5, key, answer, good)).isTrue();
    RecordSlot.Content content = RecordSlot.decode(good, 0);
    assertThat(content).isNotNull();
    if (content != null) {
      assertThat(content.call()).isEqualTo(key);
      assertThat(content.answer()).isEqualTo(answer);
    }
    for (int i = 0; i < 8 * good.length; i++) {
      byte[] damaged = good.clone();
      damaged[i >> 3] ^= (byte) (1 << (i & 7));
      assertThat(RecordSlot.decode(damaged, 0)).as("bit " + i).isNull();
    }
    for (int i = 0; i < 1000; i++) {
      random.nextBytes(bytes);
      assertThat(RecordSlot.decode(bytes, 0)).isNull();
    }
    byte[] tooLong = new byte[RecordSlot.MAX_ANSWER_BYTES + 1];
    assertThat(RecordSlot.encode(1, key, tooLong, bytes)).isFalse();
  }
}
