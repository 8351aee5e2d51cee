package sluice.fs.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Blocks;
import sluice.fs.Errnos;
import sluice.fs.FsException;
import sluice.fs.JournalRig;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Transaction;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Tests malicious logs. Replay ends, with or without an error, and writes only inside of the
/// device and outside of the log.
@Timeout(300)
final class LogFuzzTest {
  private static final int LOG = 64;
  private static final int BLOCK = JournalRig.BLOCK;

  /// Returns a device whose log contains transactions, revoke blocks and content. It has checksums
  /// only if `summed` is true.
  private static BlockDevice crashed(boolean summed) throws IOException {
    BlockDevice device = BlockDevices.memory(JournalRig.BLOCKS * BLOCK);
    JournalRig.format(device, LOG);
    if (!summed) {
      superblock(device, s -> LogLayout.setInt(s, LogLayout.S_FEATURE_INCOMPAT, 1));
    }
    try (JournalRig rig = JournalRig.open(device, LOG, 128)) {
      for (int i = 1; i <= 6; i++) {
        rig.change(i, 1024 + i, 1030, 1040 + i);
        if (i == 3) {
          try (Transaction transaction = rig.journal.begin(1)) {
            transaction.forget(1025);
          }
        }
        rig.journal.sync();
      }
      return rig.copy();
    }
  }

  private interface Edit {
    void on(MemorySegment superblock);
  }

  private static void superblock(BlockDevice device, Edit edit) throws IOException {
    Block block = Blocks.of(BLOCK);
    device.read(8 * BLOCK, block, 0, BLOCK);
    edit.on(block.segment());
    device.write(8 * BLOCK, block, 0, BLOCK);
    block.release();
  }

  private static int replay(BlockDevice device) throws IOException {
    BufferCache cache = BufferCaches.open(device, BLOCK, 64 * BLOCK);
    try {
      return Journals.replay(cache, JournalRig.places(LOG));
    } finally {
      cache.close();
    }
  }

  @Test
  void anUntouchedLogIsReplayed() throws IOException {
    for (boolean summed : new boolean[] {false, true}) {
      try (BlockDevice device = crashed(summed)) {
        // 1030 is twice in the last transaction, 1025 was revoked
        assertThat(replay(device)).isEqualTo(16);
        assertThat(replay(device)).isZero();
      }
    }
  }

  @Test
  void mutatedLogsEndInAnErrorOrNot() throws IOException {
    long seed = Long.getLong("sluice.seed", 1);
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    int refused = 0;
    try (BlockDevice plain = crashed(false);
        BlockDevice summed = crashed(true)) {
      Block block = Blocks.of(BLOCK);
      for (int i = 0; i < 1500; i++) {
        try (BlockDevice device = JournalRig.copy(i % 4 == 0 ? summed : plain)) {
          int changes = 1 + random.nextInt(4);
          for (int c = 0; c < changes; c++) {
            mutate(device, block, random);
          }
          refused += replaysOrRefuses(device) ? 0 : 1;
        }
      }
      block.release();
    }
    assertThat(refused).isPositive();
  }

  /// Replays the log in memory and on the device. Both have the same outcome and lead to the same
  /// blocks.
  private static boolean replaysOrRefuses(BlockDevice device) throws IOException {
    byte[] before = Blocks.all(device);
    String refusedInMemory = "";
    byte[] inMemory = before;
    try {
      inMemory = LogOverlayTest.withoutLog(LogOverlayTest.over(device, LOG), LOG);
    } catch (FsException refused) {
      refusedInMemory = String.valueOf(refused.getMessage());
    }
    assertThat(Blocks.all(device)).isEqualTo(before);
    try {
      int written = replay(device);
      assertThat(written).isLessThan(LOG);
      assertThat(refusedInMemory).isEmpty();
      assertThat(inMemory).isEqualTo(LogOverlayTest.withoutLog(device, LOG));
      return true;
    } catch (FsException refused) {
      assertThat(refused.errno()).isIn(Errno.EUCLEAN, Errno.EOPNOTSUPP);
      assertThat(refusedInMemory).isEqualTo(refused.getMessage());
      return false;
    }
  }

  private static void mutate(BlockDevice device, Block block, Random random) throws IOException {
    // Mostly the superblock and the first blocks, which contain descriptors.
    int index = random.nextInt(3) == 0 ? 0 : random.nextInt(random.nextBoolean() ? 8 : LOG);
    long position = (8 + index) * (long) BLOCK;
    device.read(position, block, 0, BLOCK);
    int[] interesting = {0, 1, -1, 8, 15, 16, 1023, 1024, 0x7FFFFFFF, 0x80000000, LogLayout.MAGIC};
    int at = random.nextInt(random.nextBoolean() ? 25 : 250) * 4;
    int value =
        random.nextBoolean() ? interesting[random.nextInt(interesting.length)] : random.nextInt();
    block.segment().set(ValueLayout.JAVA_INT_UNALIGNED, at, Integer.reverseBytes(value));
    device.write(position, block, 0, BLOCK);
  }

  @Test
  void unknownFeaturesAreRefusedByName() throws IOException {
    try (BlockDevice device = crashed(false)) {
      superblock(device, s -> LogLayout.setInt(s, LogLayout.S_FEATURE_INCOMPAT, 0x21));
      assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> replay(device)))
          .hasMessageContaining("fast_commit");
      superblock(device, s -> LogLayout.setInt(s, LogLayout.S_FEATURE_INCOMPAT, 0x401));
      assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> replay(device)))
          .hasMessageContaining("0x400");
    }
  }

  @Test
  void aWrongChecksumOfContentIsAnErrorAndNothingIsWritten() throws IOException {
    try (BlockDevice device = crashed(true)) {
      Block block = Blocks.of(BLOCK);
      // the second block of content; the first was revoked
      device.read(11 * BLOCK, block, 0, BLOCK);
      block.segment().set(ValueLayout.JAVA_BYTE, 700, (byte) 99);
      device.write(11 * BLOCK, block, 0, BLOCK);
      assertThat(Errnos.of(() -> replay(device))).isEqualTo(Errno.EUCLEAN);
      device.read(1030 * BLOCK, block, 0, BLOCK);
      assertThat(Blocks.bytes(block)).containsOnly(0);
      block.release();
    }
  }
}
