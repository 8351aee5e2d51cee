package sluice.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;

/// The image that a Linux client works in: made by us, judged by e2fsck. Without state.
final class LinuxClientImage {
  private static final long BYTES = 512L << 20;

  /// Files of the directory `many`, for a long listing.
  private static final int MANY = 20_000;

  private LinuxClientImage() {}

  static void make(Path image) throws IOException {
    Files.deleteIfExists(image);
    try (FileChannel file =
        FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      file.write(java.nio.ByteBuffer.allocate(1), BYTES - 1);
    }
    try (BlockDevice device = BlockDevices.file(image, false)) {
      Ext2Format.format(device, FormatOptions.forDevice(BYTES).withBytesPerInode(8192), _ -> {});
    }
    try (BlockDevice device = BlockDevices.file(image, false);
        Ext2 tree = Ext2.mount(device, MountOptions.defaults())) {
      long many = tree.create(Caller.ROOT, tree.rootInode(), name("many"), NewFile.directory(0755));
      for (int i = 0; i < MANY; i++) {
        tree.create(Caller.ROOT, many, name("file-" + i), NewFile.regular(0644));
      }
    }
  }

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// Asks e2fsck whether an image that was unmounted is whole.
  static void check(Path image) throws IOException, InterruptedException {
    Process check =
        new ProcessBuilder("e2fsck", "-fn", image.toString()).redirectErrorStream(true).start();
    String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(check.waitFor()).as(said).isZero();
  }
}
