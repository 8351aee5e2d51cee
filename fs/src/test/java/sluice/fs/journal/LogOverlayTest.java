package sluice.fs.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Blocks;
import sluice.fs.Errnos;
import sluice.fs.FsException;
import sluice.fs.JournalRig;
import sluice.fs.Stamps;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Transaction;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Tests that a device whose log is replayed in memory reads like one whose log was replayed.
/// `CrashJudge` compares the results of crashes, `UnreplayedImageTest` those of Linux, and
/// [LogFuzzTest] damaged logs.
@Timeout(120)
final class LogOverlayTest {
  private static final int LOG = 64;
  private static final int BLOCK = JournalRig.BLOCK;

  /// Returns a device whose log contains three versions of a block, a fourth version that looks
  /// like the log itself, and a revoked version.
  private static BlockDevice crashed() throws IOException {
    BlockDevice device = BlockDevices.memory(JournalRig.BLOCKS * BLOCK);
    JournalRig.format(device, LOG);
    try (device;
        JournalRig rig = JournalRig.open(device, LOG, 128)) {
      for (int version = 1; version <= 3; version++) {
        rig.change(version, 1024, 1026 + version, 1040);
        rig.journal.sync();
      }
      try (Transaction transaction = rig.journal.begin(1)) {
        Buffer likeTheLog = transaction.change(1040);
        Stamps.write(likeTheLog.block(), 1040, 4);
        likeTheLog.setIntBig(0, LogLayout.MAGIC);
      }
      try (Transaction transaction = rig.journal.begin(1)) {
        transaction.forget(1028);
      }
      rig.journal.sync();
      return rig.copy();
    }
  }

  static LogOverlay over(BlockDevice device, int logBlocks) throws IOException {
    return LogOverlay.over(device, BLOCK, JournalRig.places(logBlocks), LogOverlay.MOST_BLOCKS);
  }

  /// Returns all bytes with the log replaced by zeros, because replaying empties the log.
  static byte[] withoutLog(BlockDevice device, int logBlocks) throws IOException {
    byte[] bytes = Blocks.all(device);
    Arrays.fill(bytes, 8 * BLOCK, (8 + logBlocks) * BLOCK, (byte) 0);
    return bytes;
  }

  private static void replay(BlockDevice device) throws IOException {
    try (BufferCache cache = BufferCaches.open(device, BLOCK, 64 * BLOCK)) {
      assertThat(Journals.replay(cache, JournalRig.places(LOG))).isPositive();
    }
  }

  @Test
  void readsWhatReplayingWouldWrite() throws IOException {
    try (BlockDevice device = crashed();
        BlockDevice replayed = JournalRig.copy(device)) {
      byte[] before = Blocks.all(device);
      LogOverlay overlay = over(device, LOG);
      assertThat(overlay.laid()).isEqualTo(4);
      replay(replayed);
      assertThat(withoutLog(overlay, LOG)).isEqualTo(withoutLog(replayed, LOG));
      assertThat(withoutLog(overlay, LOG)).isNotEqualTo(withoutLog(device, LOG));
      assertThat(Blocks.all(device)).isEqualTo(before);
    }
  }

  /// Reads any sectors, in any number, alone and in batches.
  @Test
  void everyRangeIsTheSame() throws IOException {
    long seed = Long.getLong("sluice.seed", 1);
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    try (BlockDevice device = crashed()) {
      LogOverlay overlay = over(device, LOG);
      byte[] expected = Blocks.all(overlay);
      int sectors = expected.length / 512;
      Block block = Blocks.of(64 * 512);
      for (int i = 0; i < 2000; i++) {
        int first = random.nextBoolean() ? 2040 + random.nextInt(60) : random.nextInt(sectors - 32);
        int bytes = 512 * (1 + random.nextInt(32));
        int offset = 512 * random.nextInt(32);
        if (i % 2 == 0) {
          overlay.read(first * 512L, block, offset, bytes);
        } else {
          var transfer = new BlockDevice.Transfer(first * 512L, block, offset, bytes);
          overlay.read(new BlockDevice.Transfer[] {transfer}, 1);
        }
        assertThat(Arrays.copyOfRange(Blocks.bytes(block), offset, offset + bytes))
            .isEqualTo(Arrays.copyOfRange(expected, first * 512, first * 512 + bytes));
      }
      block.release();
    }
  }

  @Test
  void takesNoWrite() throws IOException {
    try (BlockDevice device = crashed()) {
      LogOverlay overlay = over(device, LOG);
      Block block = Blocks.of(BLOCK);
      assertThat(overlay.readOnly()).isTrue();
      assertThat(Errnos.of(() -> overlay.write(0, block, 0, BLOCK))).isEqualTo(Errno.EROFS);
      block.release();
    }
  }

  @Test
  void moreThanIsKeptIsRefused() throws IOException {
    try (BlockDevice device = crashed()) {
      long[] places = JournalRig.places(LOG);
      assertThat(LogOverlay.over(device, BLOCK, places, 4).laid()).isEqualTo(4);
      assertThatThrownBy(() -> LogOverlay.over(device, BLOCK, places, 3))
          .isInstanceOf(FsException.class)
          .hasMessageContaining("ENOMEM")
          .hasMessageContaining("without changing it")
          .hasMessageContaining("Fix: ");
    }
  }

  @Test
  void theMapHoldsWhatWasPut() {
    LongIntMap map = new LongIntMap(5000);
    for (int i = 0; i < 5000; i++) {
      assertThat(map.put(i * 4096L, i)).isTrue();
    }
    assertThat(map.put(1, 1)).isFalse();
    assertThat(map.put(4096, 77)).as("one that is there").isTrue();
    assertThat(map.size()).isEqualTo(5000);
    for (int i = 0; i < 5000; i++) {
      assertThat(map.getOrDefault(i * 4096L, -1)).isEqualTo(i == 1 ? 77 : i);
      assertThat(map.contains(i * 4096L + 1)).isFalse();
    }
  }
}
