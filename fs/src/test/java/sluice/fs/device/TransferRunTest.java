package sluice.fs.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.fs.Blocks;
import sluice.fs.block.BlockDevice.Transfer;
import sluice.memory.block.Block;
import sluice.sys.IoVec;

final class TransferRunTest {
  private final Block block = Blocks.of(64 << 10);

  /// The offset of the first sector boundary in the block.
  private final long start = -block.segment().address() & 511;

  private final Block large = Blocks.of(3 << 20);
  private final MemorySegment vectors = Arena.ofAuto().allocate(16L * IoVec.SIZE, Long.BYTES);
  private final TransferRun run = new TransferRun(512);

  @AfterEach
  void release() {
    block.release();
    large.release();
  }

  private Transfer at(long position, long offset, int bytes) {
    return new Transfer(position, block, start + offset, bytes);
  }

  /// Returns the remaining ranges as pairs of offset in the block and length.
  private List<List<Long>> ranges() {
    int count = run.fill(vectors);
    List<List<Long>> ranges = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long entry = run.vectorAt() + (long) i * IoVec.SIZE;
      long base = vectors.get(JAVA_LONG, entry) - block.segment().address() - start;
      ranges.add(List.of(base, vectors.get(JAVA_LONG, entry + Long.BYTES)));
    }
    return ranges;
  }

  private int end(Transfer[] all, int from) {
    run.begin(all, from, all.length, 3);
    return run.end();
  }

  @Test
  void whatGoesOnOnTheDeviceIsOneRun() {
    Transfer[] all = {
      at(4096, 0, 1024), at(5120, 8192, 512), at(5632, 8704, 512), at(7168, 0, 512)
    };
    assertThat(end(all, 0)).isEqualTo(3);
    assertThat(ranges()).containsExactly(List.of(0L, 1024L), List.of(8192L, 1024L));
    assertThat(run.restPosition()).isEqualTo(4096);
    assertThat(run.restBytes()).isEqualTo(2048);
    assertThat(run.vectorAt()).isEqualTo(3L * IoVec.SIZE);
    assertThat(end(all, 3)).isEqualTo(4);
    assertThat(ranges()).containsExactly(List.of(0L, 512L));
  }

  @Test
  void theRestOfAShortOneBeginsWhereItEnded() {
    Transfer[] all = {at(4096, 0, 1024), at(5120, 8192, 1024), at(6144, 512, 1024)};
    assertThat(end(all, 0)).isEqualTo(3);
    assertThat(run.advance(512)).isFalse();
    assertThat(ranges())
        .containsExactly(List.of(512L, 512L), List.of(8192L, 1024L), List.of(512L, 1024L));
    assertThat(run.restPosition()).isEqualTo(4608);
    assertThat(run.restAddress()).isEqualTo(block.segment().address() + start + 512);
    assertThat(run.advance(1024)).isFalse();
    assertThat(ranges()).containsExactly(List.of(8704L, 512L), List.of(512L, 1024L));
    assertThat(run.advance(512)).isFalse();
    assertThat(ranges()).containsExactly(List.of(512L, 1024L));
    assertThat(run.restAddress()).isEqualTo(block.segment().address() + start + 512);
    assertThat(run.advance(1024)).isTrue();
  }

  @Test
  void memoryThatTheDeviceCannotTakeIsLeftOut() {
    Transfer[] all = {at(4096, 0, 1024), at(5120, 8192 + 8, 1024)};
    assertThat(end(all, 0)).isEqualTo(1);
  }

  @Test
  void aRunIsNoLongerThanAMegabyteUnlessItsFirstTransferIs() {
    Transfer first = new Transfer(0, large, 0, 1 << 20);
    Transfer[] all = {first, new Transfer(1 << 20, large, 1 << 20, 512)};
    assertThat(end(all, 0)).isEqualTo(1);
    Transfer[] one = {new Transfer(0, large, 0, 3 << 20), new Transfer(3 << 20, large, 0, 512)};
    assertThat(end(one, 0)).isEqualTo(1);
    assertThat(run.restBytes()).isEqualTo(3 << 20);
  }
}
