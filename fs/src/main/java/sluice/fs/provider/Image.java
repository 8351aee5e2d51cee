package sluice.fs.provider;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.storage.BlockDevices;

/// An open tree together with the image that contains it. The record belongs to its file system.
///
/// @param name the path of the image, or the name of a tree that has no image
/// @param device the device, or null if the tree has no image
/// @param caller the caller of all operations, which also owns new files
/// @param readOnly true if the image was opened read-only
record Image(
    String name, FileTree tree, @Nullable BlockDevice device, Caller caller, boolean readOnly)
    implements AutoCloseable {
  private static final int MAGIC_POSITION = 1024 + 56;

  /// Returns a tree that has no image. This method does not call any other file system, because the
  /// file system that is being opened may be the default one.
  static Image of(String name, FileTree tree, ImageOptions options) throws IOException {
    return new Image(name, tree, null, options.caller(), tree.status().readOnly());
  }

  /// Opens an image. If the options request it, the image is created first.
  static Image open(Path file, ImageOptions options) throws IOException {
    boolean made = options.create() && Files.notExists(file);
    if (made) {
      make(file, options);
    }
    BlockDevice device = BlockDevices.file(file, options.readOnly());
    try {
      Ext2 tree = Ext2.mount(device, options.mount());
      if (made) {
        giveRoot(tree, options.caller());
      }
      String name = file.toRealPath().toString();
      return new Image(name, tree, device, options.caller(), options.readOnly());
    } catch (IOException | RuntimeException e) {
      device.close();
      throw e;
    }
  }

  /// Changes the owner of the root directory to the creator of the image, so that it can create
  /// files.
  private static void giveRoot(FileTree tree, Caller owner) throws IOException {
    AttributeChange change = AttributeChange.NONE.withOwner(owner.uid()).withGroup(owner.gid());
    tree.setAttributes(Caller.ROOT, tree.rootInode(), change);
  }

  private static void make(Path name, ImageOptions options) throws IOException {
    long bytes = options.sizeBytes();
    try (SeekableByteChannel file =
        Files.newByteChannel(
            name,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            StandardOpenOption.SPARSE)) {
      int written = file.position(bytes - 1).write(ByteBuffer.allocate(1));
      assert written == 1;
    }
    try (BlockDevice device = BlockDevices.file(name, false)) {
      Ext2Format.format(device, options.format(), _ -> {});
    } catch (IOException | RuntimeException e) {
      Files.delete(name);
      throw e;
    }
  }

  /// Returns true if the file has the magic number of an ext2 image.
  static boolean isOne(Path file) throws IOException {
    ByteBuffer magic = ByteBuffer.allocate(2);
    if (Files.isRegularFile(file)) {
      try (SeekableByteChannel channel = Files.newByteChannel(file)) {
        int read = channel.position(MAGIC_POSITION).read(magic);
        return read == 2 && magic.get(0) == 0x53 && magic.get(1) == (byte) 0xEF;
      }
    }
    return false;
  }

  @Override
  public void close() throws IOException {
    try {
      tree.close();
    } finally {
      if (device != null) {
        device.close();
      }
    }
  }
}
