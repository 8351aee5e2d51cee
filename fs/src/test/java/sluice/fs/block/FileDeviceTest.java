package sluice.fs.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Blocks;
import sluice.fs.Errnos;
import sluice.fs.LinuxTools;
import sluice.fs.storage.BlockDevices;
import sluice.memory.block.Block;
import sluice.sys.Errno;

final class FileDeviceTest extends BlockDeviceContract {
  @TempDir Path directory;

  private Path image() {
    return directory.resolve("image");
  }

  private void create() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(image().toFile(), "rw")) {
      file.setLength(SIZE);
    }
  }

  @Override
  BlockDevice open() throws IOException {
    create();
    return BlockDevices.file(image(), false);
  }

  @Test
  void isForOneProcessOnly() {
    assertThatThrownBy(() -> BlockDevices.file(image(), false))
        .hasMessageContaining("flock")
        .hasMessageContaining("another process has this image open")
        .hasMessageContaining("Fix:");
    assertThat(Errnos.of(() -> BlockDevices.file(image(), true))).isEqualTo(Errno.EAGAIN);
  }

  /// Checks for loop devices, because the kernel's mounts through a loop device ignore file locks.
  @Test
  void aFileBehindALoopDeviceIsRefused() throws IOException {
    LinuxTools.require("losetup");
    Path other = directory.resolve("other");
    java.nio.file.Files.write(other, new byte[1 << 20]);
    LinuxTools.Said said =
        LinuxTools.run("losetup", "--read-only", "--find", "--show", other.toString());
    Assumptions.assumeTrue(said.exit() == 0, "needs root and loop devices: " + said.output());
    try {
      BlockDevices.file(other, true).close(); // two that only read
      assertThatThrownBy(() -> BlockDevices.file(other, false))
          .hasMessageContaining("EBUSY")
          .hasMessageContaining(said.output().trim())
          .hasMessageContaining("Fix: ");
    } finally {
      LinuxTools.must("losetup", "--detach", said.output().trim());
    }
    LinuxTools.awaitNoLoop(other);
    BlockDevices.file(other, false).close();
  }

  @Test
  void aBlockDeviceIsForOneOnlyToo() throws IOException {
    LinuxTools.require("losetup");
    Path other = directory.resolve("other");
    java.nio.file.Files.write(other, new byte[1 << 20]);
    LinuxTools.Said said = LinuxTools.run("losetup", "--find", "--show", other.toString());
    Assumptions.assumeTrue(said.exit() == 0, "needs root and loop devices: " + said.output());
    Path loop = Path.of(said.output().trim());
    Block block = Blocks.patterned(4096, 1);
    try (BlockDevice device = BlockDevices.file(loop, false)) {
      assertThat(device.lengthBytes()).isEqualTo(1 << 20);
      device.write(8192, block, 0, 4096);
      device.flush();
      assertThat(Errnos.of(() -> BlockDevices.file(loop, false))).isEqualTo(Errno.EBUSY);
    } finally {
      LinuxTools.must("losetup", "--detach", loop.toString());
      block.release();
    }
    assertThat(java.nio.file.Files.readAllBytes(other)[8192 + 77]).isEqualTo(Blocks.pattern(1, 77));
  }

  @Test
  void mayBeReadByMany() throws IOException {
    Path other = directory.resolve("other");
    java.nio.file.Files.write(other, new byte[8192]);
    Block block = Blocks.of(4096);
    try (BlockDevice first = BlockDevices.file(other, true);
        BlockDevice second = BlockDevices.file(other, true)) {
      first.read(0, block, 0, 4096);
      second.read(4096, block, 0, 4096);
      assertThat(first.readOnly()).isTrue();
      assertThat(Errnos.of(() -> first.write(0, block, 0, 4096))).isEqualTo(Errno.EROFS);
    }
    block.release();
  }

  @Test
  void tellsWhatIsNoImage() {
    assertThat(Errnos.of(() -> BlockDevices.file(directory, true))).isEqualTo(Errno.EINVAL);
    assertThat(Errnos.of(() -> BlockDevices.file(directory.resolve("none"), true)))
        .isEqualTo(Errno.ENOENT);
  }

  @Test
  void tellsWhenTheFileHasBecomeShorter() throws IOException {
    Path other = directory.resolve("other");
    java.nio.file.Files.write(other, new byte[8192]);
    Block block = Blocks.of(4096);
    try (BlockDevice device = BlockDevices.file(other, false);
        RandomAccessFile file = new RandomAccessFile(other.toFile(), "rw")) {
      file.setLength(4096);
      assertThat(Errnos.of(() -> device.read(4096, block, 0, 4096))).isEqualTo(Errno.EIO);
    }
    block.release();
  }
}
