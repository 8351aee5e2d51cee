package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.fs.Caller;
import sluice.fs.CrashStates;
import sluice.fs.JournalRig;
import sluice.fs.NewFile;
import sluice.fs.RecordingDevice;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.testbase.Slice;

/// Tests crashes of the file system under a mixed workload. After a crash, the device holds
/// everything that it had certainly stored at some moment, and a random part of the writes that no
/// flush had followed, some of them torn.
///
/// With a journal, the tree after replay is exactly as it was after one of the operations. No
/// awaited operation is missing, a group is there as a whole, and every byte was written by that
/// operation or a later one. Neither our check nor e2fsck finds any problem except wrong free
/// counts. Without a journal, e2fsck repairs every state, and content that was synced and not
/// changed since is there.
///
/// All parts of [Slice] together are ten thousand states, each checked by e2fsck. One part is one
/// workload of each kind, with a few of its states.
@Timeout(1800)
final class Ext2CrashTest {
  private static final int WORKLOADS = 10;
  private static final int STATES = 250;
  private static final int OPERATIONS = 500;
  private static final int SHARE = 5;

  @TempDir Path directory;

  /// A kind of image.
  ///
  /// @param imageBytes the length of the device
  /// @param logBlocks the length of the journal, 0 for none
  /// @param cacheBytes the memory for blocks, small enough that blocks are written back early
  record Kind(int blockBytes, long imageBytes, int logBlocks, long cacheBytes) {
    boolean journaled() {
      return logBlocks > 0;
    }
  }

  private static final List<Kind> KINDS =
      List.of(
          new Kind(1024, 4L << 20, 1024, 1 << 20),
          new Kind(4096, 10L << 20, 1024, 2 << 20),
          new Kind(1024, 4L << 20, 0, 1 << 20),
          new Kind(4096, 6L << 20, 0, 1 << 20));

  static Stream<Kind> kinds() {
    return KINDS.stream();
  }

  private int judged;

  @ParameterizedTest
  @MethodSource("kinds")
  void everyStateIsWhole(Kind kind) throws IOException, InterruptedException {
    boolean all = Slice.current().count() < 10;
    long[] seeds = Slice.current().seeds(WORKLOADS).toArray();
    for (long seed : seeds) {
      crash(kind, seed, all ? STATES : STATES / SHARE);
    }
    assertThat(judged).isGreaterThan(seeds.length * (all ? STATES : STATES / SHARE) / 2);
  }

  private static MountOptions options(Kind kind) {
    return MountOptions.defaults()
        .withCacheBytes(kind.cacheBytes)
        .withInodes(64)
        .withAccessTimes(false);
  }

  private void crash(Kind kind, long seed, int states) throws IOException, InterruptedException {
    BlockDevice device = BlockDevices.memory(kind.imageBytes);
    FormatOptions format =
        FormatOptions.forDevice(kind.imageBytes)
            .withBlockBytes(kind.blockBytes)
            .withJournalBlocks(kind.logBlocks);
    Ext2Format.format(device, format, _ -> {});
    BlockDevice base = JournalRig.copy(device);
    RecordingDevice recording = new RecordingDevice(device);
    CrashWorkload.Recorded recorded;
    try (CrashWorkload work = new CrashWorkload(seed, recording, options(kind))) {
      recorded = work.run(OPERATIONS);
    }
    try (CrashJudge judge = new CrashJudge(options(kind), directory.resolve("crashed.img"))) {
      judged +=
          CrashStates.judge(
              recording,
              base,
              seed,
              states,
              (crashed, events, which) -> {
                String what = kind + ", " + which;
                if (kind.journaled()) {
                  judge.journaled(crashed, recorded, events, false, what);
                } else {
                  judge.plain(crashed, recorded, events, what);
                }
              });
    }
    base.close();
    device.close();
  }

  /// Checks a block that the log contains as the block of a long symbolic link. Content written to
  /// it after the link's removal must survive the replay.
  @Test
  void contentInTheBlockOfARemovedLinkStays() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(4L << 20, 1024)) {
      for (int i = 0; i < 20; i++) {
        NewFile link = NewFile.symlink(Ext2Rig.name("t".repeat(200)));
        rig.tree.create(Caller.ROOT, rig.root(), Ext2Rig.name("l" + i), link);
      }
      rig.tree.sync();
      for (int i = 0; i < 20; i++) {
        rig.tree.unlink(Caller.ROOT, rig.root(), Ext2Rig.name("l" + i));
      }
      rig.tree.sync();
      long file = rig.file(rig.root(), "f");
      String content = "content ".repeat(100_000);
      int bytes = rig.write(file, 0, content);
      rig.tree.sync();
      try (BlockDevice crashed = JournalRig.copy(rig.device);
          Ext2 after = Ext2.mount(crashed, options(KINDS.getFirst()))) {
        byte[] found = new byte[bytes];
        after.read(file, 0, rig.memory, 0, bytes);
        rig.memory.copyTo(0, found, 0, bytes);
        assertThat(new String(found, StandardCharsets.US_ASCII))
            .isEqualTo(content.substring(0, bytes));
      }
    }
  }
}
