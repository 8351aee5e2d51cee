package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.fs.Images;
import sluice.fs.LinuxTools;
import sluice.fs.block.BlockDevice;
import sluice.fs.storage.BlockDevices;

/// Tests read-only mounts of images whose log has not been replayed. The tree is the same as after
/// a replay by our code and by e2fsck, and not a byte of the file changes.
@Timeout(600)
final class UnreplayedImageTest {
  @TempDir Path directory;
  private final TreeState.Reader reader = new TreeState.Reader();

  @BeforeEach
  void tools() {
    LinuxTools.require("mke2fs", "e2fsck", "debugfs");
  }

  private Path copy(Path image, String name) throws IOException {
    return Files.copy(image, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
  }

  private static String sum(Path file) throws IOException {
    try {
      byte[] all = Files.readAllBytes(file);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(all));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private TreeState read(Path image, boolean readOnly, boolean fromLog) throws IOException {
    MountOptions options = MountOptions.defaults().withReadOnly(readOnly).withCacheBytes(4 << 20);
    try (BlockDevice device = BlockDevices.file(image, readOnly);
        Ext2 tree = Ext2.mount(device, options)) {
      assertThat(tree.blocksInLog() > 0).isEqualTo(fromLog);
      assertThat(tree.status().readOnly()).isEqualTo(readOnly);
      return reader.read(tree, null);
    }
  }

  private void assertSeenAsAfterReplay(Path crashed) throws IOException {
    String before = sum(crashed);
    TreeState seen = read(crashed, true, true);
    assertCleanAfterReplay(crashed);
    assertThat(sum(crashed)).isEqualTo(before);
    Path repaired = copy(crashed, "repaired");
    LinuxTools.Said check = LinuxTools.run("e2fsck", "-fy", repaired.toString());
    assertThat(check.exit()).as(check.output()).isLessThanOrEqualTo(1);
    assertSame(seen, read(repaired, true, false));
    assertByDebugfs(seen, repaired);
    Path replayed = copy(crashed, "replayed");
    assertSame(seen, read(replayed, false, false));
    assertThat(seen.entries()).hasSizeGreaterThan(10);
  }

  /// Asserts that the checker accepts the image: a log that waits for a replay is not a
  /// contradiction.
  private static void assertCleanAfterReplay(Path crashed) throws IOException {
    try (BlockDevice device = BlockDevices.file(crashed, true)) {
      List<String> problems = new ArrayList<>();
      Ext2Check.Report report = Ext2Check.check(device, problems::add, _ -> {});
      assertThat(problems).isEmpty();
      assertThat(report.problems()).isZero();
      assertThat(report.afterReplay()).isTrue();
      assertThat(report.blocksInLog()).isPositive();
    }
  }

  /// Checks files that were open when the machine stopped and have no name any more. The next mount
  /// frees them, so they are not a contradiction either.
  @Test
  void filesWithoutANameAreNoContradiction() throws IOException {
    Path crashed = directory.resolve("crashed");
    try (Ext2Rig rig = new Ext2Rig(24 << 20, 1024)) {
      for (int i = 0; i < 5; i++) {
        long file = rig.file(rig.root(), "open" + i);
        rig.write(file, 300_000, "content");
        rig.tree.retain(file);
        rig.tree.unlink(Caller.ROOT, rig.root(), Ext2Rig.name("open" + i));
      }
      rig.tree.sync();
      Images.save(rig.device, crashed);
    }
    String before = sum(crashed);
    assertCleanAfterReplay(crashed);
    assertThat(sum(crashed)).isEqualTo(before);
  }

  private static void assertSame(TreeState seen, TreeState replayed) {
    assertThat(seen.difference(replayed)).isEqualTo("none");
    for (var entry : seen.entries().entrySet()) {
      assertThat(entry.getValue().same(replayed.get(entry.getKey()))).as(entry.getKey()).isTrue();
    }
  }

  /// Compares file content with the output of debugfs.
  private void assertByDebugfs(TreeState seen, Path repaired) throws IOException {
    Path dumped = directory.resolve("dumped");
    int compared = 0;
    for (var entry : seen.entries().entrySet()) {
      if (entry.getValue().content().length > 0 && compared < 20) {
        LinuxTools.debugfs(repaired, "dump " + entry.getKey() + " " + dumped);
        assertThat(dumped).hasBinaryContent(entry.getValue().content());
        compared++;
      }
    }
    assertThat(compared).isPositive();
  }

  /// Tests images made by our code, in which files are added and removed until the crash.
  @ParameterizedTest
  @ValueSource(ints = {1024, 2048, 4096})
  void leftByUs(int blockBytes) throws IOException {
    Path crashed = directory.resolve("crashed");
    try (Ext2Rig rig = new Ext2Rig(24 << 20, blockBytes)) {
      long kept = rig.directory(rig.root(), "kept");
      long gone = rig.directory(rig.root(), "gone");
      for (int i = 0; i < 120; i++) {
        long file = rig.file(i % 3 == 0 ? gone : kept, "file" + i);
        rig.write(file, i * 1000L, "content of " + i);
      }
      rig.tree.sync();
      for (int i = 0; i < 120; i += 3) {
        rig.tree.unlink(Caller.ROOT, gone, Ext2Rig.name("file" + i));
      }
      rig.tree.rmdir(Caller.ROOT, rig.root(), Ext2Rig.name("gone"));
      byte[] from = Ext2Rig.name("file1");
      rig.tree.rename(Caller.ROOT, kept, from, rig.root(), Ext2Rig.name("renamed"), 0);
      rig.tree.sync();
      Images.save(rig.device, crashed);
    }
    assertSeenAsAfterReplay(crashed);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1024 -t ext3:data=ordered",
        "4096 -t ext3:data=ordered",
        "4096 -t ext3:data=journal",
        "2048 -t ext3:journal_checksum",
        "4096 -t ext3:journal_async_commit,data=writeback",
      })
  void leftByTheKernel(String setting) throws IOException {
    String[] parts = setting.split(":", -1);
    String[] words = parts[0].split(" ", -1);
    Path image = directory.resolve("image");
    LinuxTools.must(
        "mke2fs",
        "-q",
        "-F",
        "-J",
        "size=4",
        "-b",
        words[0],
        words[1],
        words[2],
        image + "",
        "24M");
    Path mount = Files.createDirectory(directory.resolve("mount"));
    Path crashed = directory.resolve("crashed");
    String script =
        "mount -t ext4 -o loop,commit=600,"
            + parts[1]
            + " $0 $1 || exit 77; cd $1 || exit 1; mkdir a b; for i in $(seq 200); do echo $i >"
            + " a/f$i; done; dd if=/dev/urandom of=big bs=4096 count=500 2>/dev/null; sync -f big;"
            + " rm -r a; mkdir c; for i in $(seq 60); do echo $i > c/g$i; done; mv big b/big; ln"
            + " b/big link; sync -f b/big; cp $0 $2; cd /; umount $1";
    LinuxTools.Said said =
        LinuxTools.run("unshare", "-m", "sh", "-c", script, image + "", mount + "", crashed + "");
    Assumptions.assumeTrue(
        said.exit() != 77 && !said.output().contains("unshare failed"),
        "needs root, loop devices and the kernel's ext4: " + said.output());
    assertThat(said.exit()).as(said.output()).isZero();
    assertSeenAsAfterReplay(crashed);
  }

  /// Checks that a log that is damaged or on another device is rejected.
  @Test
  void damageIsRefusedAsByAMountThatWrites() throws IOException {
    Path crashed = directory.resolve("crashed");
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 1024)) {
      for (int i = 0; i < 20; i++) {
        rig.file(rig.root(), "file" + i);
        rig.tree.sync();
      }
      Images.save(rig.device, crashed);
    }
    long[] log = LinuxTools.blocksOf(crashed, "<8>", 64);
    byte[] bytes = Files.readAllBytes(crashed);
    int content = (int) log[2] * 1024;
    bytes[content + 100] ^= 1;
    Files.write(crashed, bytes);
    Path writable = copy(crashed, "writable");
    String byWriting = refusal(writable, false);
    assertThat(byWriting).contains("EUCLEAN").contains("checksum");
    assertThat(refusal(crashed, true)).isEqualTo(byWriting);
    assertThat(Files.readAllBytes(crashed)).isEqualTo(bytes);
  }

  private static String refusal(Path image, boolean readOnly) throws IOException {
    try (BlockDevice device = BlockDevices.file(image, readOnly)) {
      MountOptions options = MountOptions.defaults().withReadOnly(readOnly);
      Ext2.mount(device, options).close();
      throw new AssertionError("was mounted");
    } catch (FsException refused) {
      return String.valueOf(refused.getMessage());
    }
  }
}
