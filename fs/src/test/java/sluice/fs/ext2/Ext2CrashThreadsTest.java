package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.CrashStates;
import sluice.fs.DeviceOverDevice;
import sluice.fs.JournalRig;
import sluice.fs.NewFile;
import sluice.fs.RecordingDevice;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.testbase.Slice;

/// Tests crashes while several threads work in one tree with a journal. Each thread has its own
/// directory, and its own names in a shared one. In both it creates, writes, moves, links and
/// removes files and directories. Some files are passed from thread to thread.
///
/// After a crash at any moment and a replay, the part of each thread is as it was after one of its
/// operations, the last awaited one or a later one. File content was written by that operation or a
/// later one. The states of all threads are consistent with one moment, see [CrashCut]. Each file
/// that is passed on is in exactly one place. Neither our check nor e2fsck finds any problem except
/// wrong free counts.
///
/// All parts of [Slice] together are two thousand states.
@Timeout(1200)
final class Ext2CrashThreadsTest {
  private static final int WORKLOADS = 10;
  private static final int STATES = 100;
  private static final int THREADS = 4;
  private static final int OPERATIONS = 150;
  private static final int TOKENS = 4;
  private static final int TOKEN_BYTES = 1500;
  private static final long FLUSH_NANOS = 1_000_000;

  @TempDir Path directory;

  @ParameterizedTest(name = "blocks of {0}")
  @CsvSource({"1024, 6, 1", "4096, 16, 4"})
  void allThreadsAreFoundAtOneMoment(int blockBytes, long imageMegabytes, int cacheMegabytes)
      throws Exception {
    MountOptions options =
        MountOptions.defaults()
            .withCacheBytes((long) cacheMegabytes << 20)
            .withInodes(64)
            .withAccessTimes(false);
    int judged = 0;
    long[] seeds = Slice.current().seeds(WORKLOADS).toArray();
    for (long seed : seeds) {
      judged += crash(seed, blockBytes, imageMegabytes << 20, options);
    }
    assertThat(judged).isGreaterThan(seeds.length * STATES / 2);
  }

  private int crash(long seed, int blockBytes, long imageBytes, MountOptions options)
      throws Exception {
    try (BlockDevice device = BlockDevices.memory(imageBytes)) {
      FormatOptions format =
          FormatOptions.forDevice(imageBytes).withBlockBytes(blockBytes).withJournalBlocks(1024);
      Ext2Format.format(device, format, _ -> {});
      prepare(device, options);
      List<TreePart> parts =
          IntStream.range(0, THREADS).mapToObj(i -> new TreePart("w" + i)).toList();
      try (BlockDevice base = JournalRig.copy(device);
          CrashJudge judge = new CrashJudge(options, directory.resolve("crashed.img"))) {
        RecordingDevice recording = new RecordingDevice(slow(device));
        List<CrashWorkload.Recorded> recorded = work(seed, recording, options, parts);
        return CrashStates.judge(
            recording,
            base,
            seed,
            STATES,
            (crashed, events, which) -> {
              String what = "blocks of " + blockBytes + ", " + which;
              judge.journaled(
                  crashed, found -> require(found, parts, recorded, events, what), false, what);
            });
      }
    }
  }

  /// Returns a device whose flushes take as long as those of a disk. Other threads continue in the
  /// meantime, and wait for more than the flush covers.
  private static BlockDevice slow(BlockDevice device) {
    return new DeviceOverDevice(device) {
      @Override
      public void flush() throws IOException {
        LockSupport.parkNanos(FLUSH_NANOS);
        super.flush();
      }
    };
  }

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /// Creates the directories and the files that are passed on.
  private static void prepare(BlockDevice device, MountOptions options) throws IOException {
    Block block = Blocks.of(TOKEN_BYTES);
    try (Ext2 tree = Ext2.mount(device, options);
        Memory memory = Memory.over(block, 0, TOKEN_BYTES)) {
      for (int i = 0; i < THREADS; i++) {
        tree.create(Caller.ROOT, tree.rootInode(), name("w" + i), NewFile.directory(0755));
      }
      byte[] last = name(TreePart.SHARED.substring(1));
      long shared = tree.create(Caller.ROOT, tree.rootInode(), last, NewFile.directory(0755));
      for (int i = 0; i < TOKENS; i++) {
        byte[] token = name(TreePart.TOKEN + i);
        long file = tree.create(Caller.ROOT, shared, token, NewFile.regular(0644));
        memory.copyFrom(token(i), 0, 0, TOKEN_BYTES);
        tree.write(Caller.ROOT, file, 0, memory, 0, TOKEN_BYTES);
      }
    } finally {
      block.release();
    }
  }

  /// Returns the content of a file that is passed on.
  private static byte[] token(int number) {
    byte[] content = new byte[TOKEN_BYTES];
    for (int i = 0; i < TOKEN_BYTES; i++) {
      content[i] = Blocks.pattern(200 + number, i);
    }
    return content;
  }

  private static List<CrashWorkload.Recorded> work(
      long seed, RecordingDevice recording, MountOptions options, List<TreePart> parts)
      throws Exception {
    List<CrashWorkload> workloads = new ArrayList<>();
    List<CrashWorkload.Recorded> recorded = new ArrayList<>();
    try (Ext2 tree = Ext2.mount(recording, options)) {
      for (TreePart part : parts) {
        long own = seed * parts.size() + workloads.size();
        workloads.add(new CrashWorkload(own, recording, options, tree, part));
      }
      try (ExecutorService pool = Executors.newFixedThreadPool(parts.size())) {
        List<Future<CrashWorkload.Recorded>> running = new ArrayList<>();
        for (CrashWorkload workload : workloads) {
          running.add(pool.submit(() -> workload.runBeside(OPERATIONS)));
        }
        for (Future<CrashWorkload.Recorded> one : running) {
          recorded.add(one.get(300, TimeUnit.SECONDS));
        }
      }
    } finally {
      workloads.forEach(CrashWorkload::close);
    }
    // The tree has been unmounted.
    for (CrashWorkload.Recorded one : recorded) {
      int last = one.steps().size() - 1;
      one.awaited().add(new CrashWorkload.Awaited(recording.events(), last));
    }
    return recorded;
  }

  private static void require(
      TreeState found,
      List<TreePart> parts,
      List<CrashWorkload.Recorded> recorded,
      int events,
      String what) {
    List<List<Integer>> alike = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      String whose = what + ", thread " + i;
      alike.add(CrashJudge.stepsLike(found.of(parts.get(i)), recorded.get(i), events, whose));
    }
    assertThat(CrashCut.problem(recorded, alike)).as(what).isNull();
    List<byte[]> tokens = new ArrayList<>();
    found
        .entries()
        .forEach((path, entry) -> {
          if (path.contains("/" + TreePart.TOKEN)) {
            tokens.add(entry.content());
          }
        });
    List<byte[]> expected =
        IntStream.range(0, TOKENS).mapToObj(Ext2CrashThreadsTest::token).toList();
    assertThat(tokens).as(what).containsExactlyInAnyOrderElementsOf(expected);
  }
}
