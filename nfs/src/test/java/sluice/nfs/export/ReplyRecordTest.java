package sluice.nfs.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import sluice.nfs.rpc.DuplicateKey;

/// Tests records of replies and arbitrary bytes in their place.
final class ReplyRecordTest {
  @Test
  void slotsOfAnyContentAreReadWithoutHarm() {
    Random random = new Random(11);
    byte[] bytes = new byte[ReplyRecord.BYTES];
    DuplicateKey key = new DuplicateKey(7, -8, 1, 2, 3 << 8 | 9, 4);
    byte[] answer = {0, 0, 0, 0, 1, 2, 3, 4};
    byte[] good = new byte[ReplyRecord.BYTES];
    random.nextBytes(good); // the content of an earlier record
    assertThat(ReplyRecord.encode(5, key, answer, good)).isTrue();
    ReplyRecord.Content content = ReplyRecord.decode(good, 0);
    assertThat(content).isNotNull();
    if (content != null) {
      assertThat(content.call()).isEqualTo(key);
      assertThat(content.answer()).isEqualTo(answer);
    }
    for (int i = 0; i < 8 * good.length; i++) {
      byte[] damaged = good.clone();
      damaged[i >> 3] ^= (byte) (1 << (i & 7));
      assertThat(ReplyRecord.decode(damaged, 0)).as("bit " + i).isNull();
    }
    for (int i = 0; i < 1000; i++) {
      random.nextBytes(bytes);
      assertThat(ReplyRecord.decode(bytes, 0)).isNull();
    }
    byte[] tooLong = new byte[ReplyRecord.MAX_ANSWER_BYTES + 1];
    assertThat(ReplyRecord.encode(1, key, tooLong, bytes)).isFalse();
  }
}
