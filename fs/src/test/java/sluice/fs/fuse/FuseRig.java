package sluice.fs.fuse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Assumptions;
import sluice.fs.E2fsprogs;
import sluice.fs.LinuxTools;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.ServedDevice;

/// An image of ours, mounted through FUSE in its own directory. Confined to the test's thread.
final class FuseRig implements AutoCloseable {
  final Path image;
  final Path directory;
  final List<String> messages = new CopyOnWriteArrayList<>();
  final Ext2 tree;
  final FuseMount mount;
  private final BlockDevice device;

  FuseRig(Path image, Path directory, boolean readOnly, RingUse rings) throws Exception {
    this(
        image, directory, FuseOptions.of(image.toString()).withReadOnly(readOnly).withRings(rings));
  }

  FuseRig(Path image, Path directory, FuseOptions options) throws Exception {
    boolean readOnly = options.readOnly();
    this.image = image;
    this.directory = directory;
    Files.createDirectories(directory);
    device = BlockDevices.file(image, readOnly);
    tree = Ext2.mount(device, MountOptions.defaults().withReadOnly(readOnly));
    try {
      mount = mounted(options);
    } catch (IOException e) {
      tree.close();
      device.close();
      throw e;
    }
  }

  /// Mounts the tree: from a block device if the mount closes its tree.
  private FuseMount mounted(FuseOptions options) throws IOException, InterruptedException {
    if (!options.stability().closesTree()) {
      return FuseMount.open(tree, directory, options, messages::add);
    }
    try (ServedDevice served = BlockDevices.serve(device)) {
      if (served.blockDevice().isEmpty()) {
        throw new IOException(served.why());
      }
      FuseStability from = options.stability().withBlockDevice(served.blockDevice());
      return FuseMount.open(tree, directory, options.withStability(from), messages::add);
    }
  }

  /// Skips the test if the kernel has no FUSE or the user may not mount.
  static void require() {
    Assumptions.assumeTrue(Files.exists(Path.of("/dev/fuse")), "needs /dev/fuse (modprobe fuse)");
    Assumptions.assumeTrue(
        System.getProperty("user.name", "").equals("root"), "needs root, to mount");
  }

  /// Creates an image with a journal and mounts it.
  static FuseRig open(Path parent, long bytes, int blockBytes, RingUse rings) throws Exception {
    return open(parent, bytes, blockBytes, FuseOptions.of("disk.img").withRings(rings));
  }

  /// Creates and mounts an image like [#open], with set-user-id programs and device files enabled.
  static FuseRig openTrusted(Path parent, long bytes, int blockBytes, RingUse rings)
      throws Exception {
    FuseOptions options = FuseOptions.of("disk.img").withRings(rings).withTrusted(true);
    return open(parent, bytes, blockBytes, options);
  }

  static FuseRig open(Path parent, long bytes, int blockBytes, FuseOptions options)
      throws Exception {
    Path image = E2fsprogs.image(parent, "disk.img", bytes);
    try (BlockDevice device = BlockDevices.file(image, false)) {
      FormatOptions format = FormatOptions.forDevice(bytes).withBlockBytes(blockBytes);
      Ext2Format.format(device, format.withJournal(bytes), _ -> {});
    }
    return new FuseRig(image, parent.resolve("mnt"), options);
  }

  /// Runs a shell script in the mount.
  String sh(String script) throws IOException {
    return LinuxTools.must("sh", "-ec", "cd '" + directory + "'; " + script);
  }

  /// Runs a Python script in the mount, in a process of its own.
  String python(String script) throws IOException {
    String all = "import os, sys, mmap\nos.chdir(sys.argv[1])\n" + script;
    return LinuxTools.must("python3", "-c", all, directory.toString());
  }

  @Override
  public void close() throws IOException {
    try {
      mount.close();
    } finally {
      tree.close();
      device.close();
    }
  }

  /// Closes the rig and has the image checked.
  void closeClean() throws Exception {
    close();
    E2fsprogs.assertClean(image);
    String features = E2fsprogs.debugfs(image, "features");
    if (features.contains("needs_recovery")) {
      throw new AssertionError(features);
    }
  }
}
