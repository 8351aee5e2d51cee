package sluice.fs.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.Blocks;
import sluice.fs.LinuxTools;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.block.Block;

/// Tests that Linux replays our logs, and that our code replays logs of Linux.
@Timeout(600)
final class JournalLinuxTest {
  private static final int LOG_BYTES = 4 << 20;
  private static final int FILE_BLOCKS = 40;

  /// The options of mke2fs, in the format of [#make].
  static final List<String> FORMATS =
      List.of(
          "1024 -t ext3",
          "4096 -t ext3",
          "1024 -t ext4 -O 64bit,metadata_csum",
          "4096 -t ext4 -O ^64bit,metadata_csum",
          "2048 -t ext4 -O 64bit,^metadata_csum");

  @TempDir Path directory;

  @BeforeEach
  void tools() {
    LinuxTools.require("mke2fs", "e2fsck", "debugfs");
  }

  @SuppressWarnings("ArrayRecordComponent")
  private record Image(Path path, int blockBytes, long[] log) {}

  /// Creates an image.
  ///
  /// @param options the options of mke2fs, separated by spaces, with the block size first
  private Image make(String name, String options) throws IOException {
    Path path = directory.resolve(name);
    String[] words = options.split(" ", -1);
    int blockBytes = Integer.parseInt(words[0]);
    List<String> command =
        new ArrayList<>(List.of("mke2fs", "-q", "-F", "-J", "size=4", "-b", words[0]));
    command.addAll(List.of(words).subList(1, words.length));
    command.addAll(List.of(path.toString(), "24M"));
    LinuxTools.must(command.toArray(String[]::new));
    long[] log = LinuxTools.blocksOf(path, "<8>", LOG_BYTES / blockBytes);
    assertThat(log).hasSize(LOG_BYTES / blockBytes);
    return new Image(path, blockBytes, log);
  }

  private Path content(String name, int bytes, int seed) throws IOException {
    byte[] all = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      all[i] = Blocks.pattern(seed, i);
    }
    return Files.write(directory.resolve(name), all);
  }

  /// Writes a file of known content.
  ///
  /// @return its blocks
  private long[] oldFile(Image image) throws IOException {
    Path content = content("old", FILE_BLOCKS * image.blockBytes, 1);
    LinuxTools.debugfs(image.path, "write " + content + " file");
    return LinuxTools.blocksOf(image.path, "/file", FILE_BLOCKS);
  }

  private Path copy(Image image, String name) throws IOException {
    return Files.copy(image.path, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
  }

  private static int replay(Path path, Image image) throws IOException {
    try (BlockDevice device = BlockDevices.file(path, false);
        BufferCache cache = BufferCaches.open(device, image.blockBytes, 1 << 20)) {
      return Journals.replay(cache, image.log);
    }
  }

  /// Asserts that two images are equal except for the superblocks of file system and journal.
  private static void assertSame(Path one, Path other, Image image) throws IOException {
    byte[] a = Files.readAllBytes(one);
    byte[] b = Files.readAllBytes(other);
    assertThat(a).hasSameSizeAs(b);
    for (int at = 0; at < a.length; at += 1024) {
      boolean superblock = at == 1024 || at / image.blockBytes == image.log[0];
      if (!superblock && !java.util.Arrays.equals(a, at, at + 1024, b, at, at + 1024)) {
        throw new AssertionError("the images differ in the 1024 bytes at " + at);
      }
    }
  }

  @ParameterizedTest
  @FieldSource("FORMATS")
  void weReplayWhatDebugfsHasLogged(String options) throws IOException {
    Image image = make("image", options);
    long[] file = oldFile(image);
    Path new1 = content("new1", 20 * image.blockBytes, 2);
    Path new2 = content("new2", 5 * image.blockBytes, 3);
    String sums = options.contains(",metadata_csum") ? "jo -c" : "jo";
    LinuxTools.debugfs(
        image.path,
        sums,
        "jw -b " + list(file, 0, 20) + " " + new1,
        "jw -r " + list(file, 0, 2),
        "jw -b " + list(file, 15, 20) + " " + new2,
        "jc");
    Path theirs = copy(image, "theirs");
    int exit = LinuxTools.run("e2fsck", "-E", "journal_only", "-y", theirs.toString()).exit();
    assertThat(exit).isLessThanOrEqualTo(1);
    int written = replay(image.path, image);
    assertThat(written).isGreaterThanOrEqualTo(20);
    assertSame(image.path, theirs, image);
    assertThat(replay(image.path, image)).as("nothing is left").isZero();
  }

  private static String list(long[] blocks, int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++) {
      text.append(i == from ? "" : ",").append(blocks[i]);
    }
    return text.toString();
  }

  @ParameterizedTest
  @FieldSource("FORMATS")
  void linuxReplaysWhatWeHaveLogged(String options) throws IOException {
    Image image = make("image", options);
    long[] file = oldFile(image);
    if (options.contains(",metadata_csum")) { // makes debugfs enable checksums in the journal
      LinuxTools.debugfs(image.path, "jo -c", "jw -b " + file[0] + " " + content("x", 1, 1), "jc");
      LinuxTools.run("e2fsck", "-fy", image.path.toString());
    }
    logOurs(image, file, options.contains("ext3"));
    assertThat(LinuxTools.must("debugfs", "-R", "logdump -a", directory.resolve("crashed") + ""))
        .contains("Found expected sequence")
        .contains("type 1 (descriptor block)")
        .contains("type 5 (revoke table)")
        .contains("type 2 (commit block)")
        .contains("FS block " + file[3]);
    Path crashed = directory.resolve("crashed");
    LinuxTools.Said check = LinuxTools.run("e2fsck", "-fy", crashed.toString());
    assertThat(check.output()).contains("recovering journal").doesNotContain("checksum");
    assertThat(check.exit()).as(check.output()).isLessThanOrEqualTo(1);
    assertThat(LinuxTools.run("e2fsck", "-fn", crashed.toString()).exit()).isZero();
    LinuxTools.debugfs(crashed, "dump /file " + directory.resolve("dumped"));
    byte[] dumped = Files.readAllBytes(directory.resolve("dumped"));
    for (int i = 0; i < FILE_BLOCKS; i++) {
      int seed = i == 9 ? 1 : i < 20 ? 100 + i : 1;
      for (int at = 0; at < image.blockBytes; at += 97) {
        int start = i == 9 ? i * image.blockBytes : i < 20 ? 0 : i * image.blockBytes;
        assertThat(dumped[i * image.blockBytes + at])
            .as("block " + i + ", byte " + at)
            .isEqualTo(i == 5 && at < 4 ? magic(at) : Blocks.pattern(seed, start + at));
      }
    }
  }

  private static byte magic(int at) {
    return (byte) (LogLayout.MAGIC >>> (24 - 8 * at));
  }

  /// Changes blocks 0 to 19 of the file, frees block 9 again, and crashes.
  private void logOurs(Image image, long[] file, boolean alsoTwice) throws IOException {
    LinuxTools.debugfs(image.path, "feature needs_recovery");
    try (BlockDevice device = BlockDevices.file(image.path, false);
        BufferCache cache = BufferCaches.open(device, image.blockBytes, 1 << 20)) {
      Journal journal = Journals.jbd2(cache, image.log);
      for (int round = alsoTwice ? 0 : 1; round < 2; round++) {
        for (int i = 0; i < 20; i += 2) {
          try (Transaction transaction = journal.begin(2)) {
            fill(transaction.change(file[i]), 100 + i, i == 5);
            fill(transaction.change(file[i + 1]), 100 + i + 1, i + 1 == 5);
          }
          journal.sync();
        }
      }
      try (Transaction transaction = journal.begin(1)) {
        transaction.forget(file[9]);
      }
      journal.sync();
      copy(image, "crashed");
      journal.close();
    }
  }

  private static void fill(Buffer buffer, int seed, boolean likeTheLog) {
    Block block = buffer.block();
    for (int i = 0; i < block.lengthBytes(); i++) {
      buffer.setByte(i, Blocks.pattern(seed, i));
    }
    if (likeTheLog) {
      buffer.setIntBig(0, LogLayout.MAGIC);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1024 -t ext3:data=ordered",
        "1024 -t ext4 -O metadata_csum,64bit:data=ordered",
        "4096 -t ext4 -O ^metadata_csum:journal_checksum",
        "4096 -t ext4 -O ^metadata_csum:journal_async_commit,data=writeback",
        "4096 -t ext4 -O metadata_csum,^64bit:data=journal",
      })
  void weReplayWhatTheKernelHasLogged(String setting) throws IOException {
    String[] parts = setting.split(":", -1);
    Image image = make("image", parts[0]);
    Path mount = Files.createDirectory(directory.resolve("mount"));
    Path theirs = directory.resolve("theirs");
    String script =
        "mount -o loop,commit=600,"
            + parts[1]
            + " $0 $1 || exit 77; cd $1 || exit 1; mkdir a b; for i in $(seq 200); do echo $i >"
            + " a/f$i; done; dd if=/dev/urandom of=big bs=4096 count=500 2>/dev/null; sync -f big;"
            + " rm -r a; mv big b/big; ln b/big link; sync -f b/big; cp $0 $2; cd /; umount $1";
    runWithMounts(script, image.path, mount, theirs);
    Path ours = Files.copy(theirs, directory.resolve("ours"));
    assertThat(replay(ours, image)).isPositive();
    LinuxTools.run("e2fsck", "-E", "journal_only", "-y", theirs.toString());
    assertSame(ours, theirs, image);
    LinuxTools.debugfs(ours, "feature -needs_recovery");
    LinuxTools.Said check = LinuxTools.run("e2fsck", "-fy", ours.toString());
    assertThat(check.exit()).as(check.output()).isLessThanOrEqualTo(1);
  }

  /// Runs a script that exits with 77 if it cannot mount; skips the test in this case.
  private static void runWithMounts(String script, Path image, Path mount, Path result)
      throws IOException {
    LinuxTools.Said said =
        LinuxTools.run("unshare", "-m", "sh", "-c", script, image + "", mount + "", result + "");
    Assumptions.assumeTrue(
        said.exit() != 77 && !said.output().contains("unshare failed"),
        "needs root, loop devices and the kernel's ext3 and ext4: " + said.output());
    assertThat(said.exit()).as(said.output()).isZero();
  }

  @Test
  void theKernelReplaysWhatWeHaveLogged() throws IOException {
    Image image = make("image", "1024 -t ext3");
    long[] file = oldFile(image);
    logOurs(image, file, true);
    Path mount = Files.createDirectory(directory.resolve("mount"));
    Path crashed = directory.resolve("crashed");
    String script = "mount -o loop $0 $1 || exit 77; cp $1/file $2 && umount $1";
    Path dumped = directory.resolve("dumped");
    runWithMounts(script, crashed, mount, dumped);
    byte[] all = Files.readAllBytes(dumped);
    assertThat(all[3 * image.blockBytes + 50]).isEqualTo(Blocks.pattern(103, 50));
    assertThat(all[30 * image.blockBytes + 50])
        .isEqualTo(Blocks.pattern(1, 30 * image.blockBytes + 50));
    assertThat(LinuxTools.run("e2fsck", "-fn", crashed.toString()).exit()).isZero();
  }
}
