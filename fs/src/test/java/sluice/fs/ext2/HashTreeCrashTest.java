package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.CrashStates;
import sluice.fs.E2fsprogs;
import sluice.fs.Images;
import sluice.fs.JournalRig;
import sluice.fs.NewFile;
import sluice.fs.RecordingDevice;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.testbase.Slice;

/// Tests crashes while a directory gets a hash tree and its leaves are split.
///
/// With a journal, everything is as it was after one of the changes. Without one, e2fsck rebuilds
/// the tree, and names that were synced and not changed since are still there: a split never loses
/// names that were not touched, as long as the device writes a block atomically. If it does not,
/// the file is still there, possibly in `lost+found`, unless it is empty: e2fsck drops empty files.
@Timeout(1200)
final class HashTreeCrashTest {
  private static final int CHANGES = 260;
  private static final int STATES = 24;
  private static final byte[] DIRECTORY = {'d'};

  @TempDir Path folder;

  @BeforeEach
  void tools() {
    E2fsprogs.require("e2fsck");
  }

  private static MountOptions options(int cacheBytes) {
    return MountOptions.defaults().withCacheBytes(cacheBytes).withInodes(64).withAccessTimes(false);
  }

  /// Adds, removes and moves names in one directory. Few fit into a block, so its leaves are split.
  private static final class Work {
    private final Random random;
    private final RecordingDevice device;
    private final TreeState.Reader reader = new TreeState.Reader();
    private final List<CrashWorkload.Step> steps = new ArrayList<>();
    private final List<CrashWorkload.Awaited> awaited = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final boolean empty;
    private TreeState state;
    private int made;

    /// Runs the changes.
    ///
    /// @param empty true if files have no content
    Work(long seed, RecordingDevice device, MountOptions options, boolean empty)
        throws IOException {
      random = new Random(seed);
      this.device = device;
      this.empty = empty;
      try (Ext2 tree = Ext2.mount(device, options)) {
        state = reader.read(tree, null);
        note(0, tree);
        int before = device.events();
        long d = tree.create(Caller.ROOT, tree.rootInode(), DIRECTORY, NewFile.directory(0755));
        note(before, tree);
        for (int i = 0; i < CHANGES; i++) {
          change(tree, d);
        }
      } finally {
        reader.close();
      }
      awaited.add(new CrashWorkload.Awaited(device.events(), steps.size() - 1));
    }

    private void change(Ext2 tree, long d) throws IOException {
      int before = device.events();
      if (random.nextInt(16) == 0) {
        tree.sync();
        awaited.add(new CrashWorkload.Awaited(device.events(), steps.size() - 1));
        return;
      }
      int choice = random.nextInt(10);
      if (names.size() < 3 || choice < 6) {
        String name = name();
        long file = tree.create(Caller.ROOT, d, Ext2Rig.name(name), NewFile.regular(0644));
        if (!empty) {
          fill(tree, file);
        }
        names.add(name);
      } else if (choice < 8) {
        tree.unlink(Caller.ROOT, d, Ext2Rig.name(names.remove(random.nextInt(names.size()))));
      } else {
        String from = names.remove(random.nextInt(names.size()));
        String to = name();
        tree.rename(Caller.ROOT, d, Ext2Rig.name(from), d, Ext2Rig.name(to), 0);
        names.add(to);
      }
      note(before, tree);
    }

    private void fill(Ext2 tree, long file) throws IOException {
      Block block = Blocks.of(Long.BYTES);
      Memory memory = Memory.over(block, 0, Long.BYTES);
      memory.setLong(0, file);
      tree.write(Caller.ROOT, file, 0, memory, 0, Long.BYTES);
      memory.close();
      block.release();
    }

    private String name() {
      return "n" + made++ + "-".repeat(60 + random.nextInt(150));
    }

    private void note(int before, Ext2 tree) throws IOException {
      state = reader.read(tree, state);
      long now = System.nanoTime();
      steps.add(new CrashWorkload.Step(before, now, now, state, true));
    }
  }

  @ParameterizedTest(name = "blocks of {0}, log of {1}")
  @CsvSource({"1024, 1024", "4096, 1024", "1024, 0", "4096, 0"})
  void noNameIsLost(int blockBytes, int logBlocks) throws Exception {
    for (long seed : Slice.current().seeds(20).toArray()) {
      // In a torn block a changed entry can take others with it; only a log prevents that.
      crash(seed, blockBytes, logBlocks, logBlocks > 0, true);
    }
  }

  /// Checks torn blocks. A block of a directory that was being changed can lose names. After the
  /// repair, their files are complete in `lost+found`, if they have content.
  @ParameterizedTest(name = "blocks of {0}")
  @ValueSource(ints = {1024, 4096})
  void noFileIsLostInTornBlocksWithoutALog(int blockBytes) throws Exception {
    for (long seed : Slice.current().seeds(20).toArray()) {
      crash(seed, blockBytes, 0, true, false);
    }
  }

  /// Sets the seed of the hashes, so that a failure can be reproduced.
  private static void setHashSeed(BlockDevice device, long seed) throws IOException {
    int bytes = SuperblockLayout.POSITION;
    Block superblock = Blocks.of(bytes);
    device.read(SuperblockLayout.POSITION, superblock, 0, bytes);
    superblock.segment().asByteBuffer().putLong(SuperblockLayout.HASH_SEED, seed);
    device.write(SuperblockLayout.POSITION, superblock, 0, bytes);
    superblock.release();
  }

  private void crash(long seed, int blockBytes, int logBlocks, boolean tears, boolean empty)
      throws Exception {
    long bytes = blockBytes == 1024 ? 4 << 20 : 10 << 20;
    // Without a log, so few blocks that changed ones are written back early.
    MountOptions options = options(logBlocks > 0 ? 2 << 20 : 64 * blockBytes);
    Path file = folder.resolve("crashed.img");
    try (BlockDevice device = BlockDevices.memory(bytes);
        CrashJudge judge = new CrashJudge(options(2 << 20), file)) {
      FormatOptions format =
          FormatOptions.forDevice(bytes).withBlockBytes(blockBytes).withJournalBlocks(logBlocks);
      Ext2Format.format(device, format, _ -> {});
      setHashSeed(device, seed);
      BlockDevice base = JournalRig.copy(device);
      RecordingDevice recording = new RecordingDevice(device);
      recording.tears = tears;
      Work work = new Work(seed, recording, options, empty);
      CrashWorkload.Recorded recorded = new CrashWorkload.Recorded(work.steps, work.awaited);
      Images.assertClean(device, file, "seed " + seed);
      assertThat(E2fsprogs.debugfs(file, "htree_dump d")).contains("Root node");
      int judged =
          CrashStates.judge(
              recording,
              base,
              seed,
              STATES,
              (crashed, events, which) -> {
                String what = "blocks of " + blockBytes + ", " + which;
                if (logBlocks > 0) {
                  judge.journaled(crashed, recorded, events, false, what);
                } else {
                  judge.plain(crashed, recorded, events, what);
                  if (!tears) {
                    requireNames(file, recorded, events, what);
                  }
                }
              });
      assertThat(judged).isGreaterThan(STATES / 2);
      base.close();
    }
  }

  /// Asserts that names which were synced and are in all steps since exist after the repair.
  private static void requireNames(
      Path file, CrashWorkload.Recorded recorded, int events, String what) throws IOException {
    int synced = 0;
    for (CrashWorkload.Awaited awaited : recorded.awaited()) {
      synced = awaited.events() <= events ? awaited.step() : synced;
    }
    List<CrashWorkload.Step> steps = recorded.steps();
    List<String> expected = new ArrayList<>(steps.get(synced).after().entries().keySet());
    for (int i = synced; i < steps.size() && steps.get(i).eventsBefore() <= events; i++) {
      expected.retainAll(steps.get(i).after().entries().keySet());
    }
    TreeState.Reader reader = new TreeState.Reader();
    try (BlockDevice repaired = BlockDevices.file(file, true);
        Ext2 tree = Ext2.mount(repaired, options(2 << 20).withReadOnly(true))) {
      assertThat(reader.read(tree, null).entries().keySet()).as(what).containsAll(expected);
    } finally {
      reader.close();
    }
  }
}
