package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.ext2.layout.Features;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// A mounted in-memory tree with shortcuts for tests. Confined to the test's thread.
public final class Ext2Rig implements AutoCloseable {
  static final Caller ROOT = Caller.ROOT;

  public final BlockDevice device;
  final Memory memory;
  public Ext2 tree;
  private final Block block;
  private final MountOptions options;

  public Ext2Rig(long deviceBytes, int blockBytes) throws IOException {
    this(deviceBytes, blockBytes, MountOptions.defaults().withCacheBytes(16 << 20));
  }

  public Ext2Rig(long deviceBytes, int blockBytes, MountOptions options) throws IOException {
    this(deviceBytes, FormatOptions.forDevice(deviceBytes).withBlockBytes(blockBytes), options);
  }

  Ext2Rig(long deviceBytes, FormatOptions format, MountOptions options) throws IOException {
    this(formatted(deviceBytes, format), options);
  }

  /// Returns a rig with an image in which directories get no hash trees.
  static Ext2Rig linear(long deviceBytes, int blockBytes) throws IOException {
    FormatOptions format = FormatOptions.forDevice(deviceBytes).withBlockBytes(blockBytes);
    BlockDevice device = formatted(deviceBytes, format);
    Block first = Blocks.of(4096);
    device.read(0, first, 0, 4096);
    int at = SuperblockLayout.POSITION + SuperblockLayout.COMPATIBLE;
    int features = first.segment().get(ValueLayout.JAVA_INT_UNALIGNED, at);
    int without = features & ~Features.DIR_INDEX;
    first.segment().set(ValueLayout.JAVA_INT_UNALIGNED, at, without);
    device.write(0, first, 0, 4096);
    first.release();
    return new Ext2Rig(device, MountOptions.defaults().withCacheBytes(16 << 20));
  }

  private static BlockDevice formatted(long deviceBytes, FormatOptions format) throws IOException {
    BlockDevice device = BlockDevices.memory(deviceBytes);
    Ext2Format.format(device, format, _ -> {});
    return device;
  }

  private Ext2Rig(BlockDevice device, MountOptions options) throws IOException {
    this.options = options;
    this.device = device;
    tree = Ext2.mount(device, options);
    int bytes = 4 << 20;
    block = Blocks.of(bytes);
    memory = Memory.over(block, 0, bytes);
  }

  public static byte[] name(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public long root() {
    return tree.rootInode();
  }

  public long file(long directory, String name) throws IOException {
    return tree.create(ROOT, directory, name(name), NewFile.regular(0644));
  }

  public long directory(long parent, String name) throws IOException {
    return tree.create(ROOT, parent, name(name), NewFile.directory(0755));
  }

  int write(long inode, long position, String text) throws IOException {
    byte[] bytes = name(text);
    memory.copyFrom(bytes, 0, 0, bytes.length);
    return tree.write(ROOT, inode, position, memory, 0, bytes.length);
  }

  String read(long inode, long position, int count) throws IOException {
    int bytes = tree.read(inode, position, memory, 0, count);
    byte[] copy = new byte[bytes];
    memory.copyTo(0, copy, 0, bytes);
    return new String(copy, StandardCharsets.UTF_8);
  }

  /// Unmounts and mounts again, so that everything is read from the device.
  public void remount() throws IOException {
    tree.close();
    tree = Ext2.mount(device, options);
  }

  @Override
  public void close() throws IOException {
    tree.close();
    memory.close();
    block.release();
    device.close();
  }

  /// Returns the names of a directory, including `.` and `..`, with their inodes. Asserts that no
  /// name occurs twice.
  ///
  /// @param page the number of names that are taken in one call
  static Map<String, Long> listed(Ext2 tree, long directory, int page) throws IOException {
    Map<String, Long> names = new HashMap<>();
    long[] cookie = {0};
    boolean[] end = {false};
    while (!end[0]) {
      int[] left = {page};
      end[0] =
          tree.list(
              directory,
              cookie[0],
              (inode, _, name, next) -> {
                if (left[0]-- == 0) {
                  return false;
                }
                Long twice = names.put(new String(name, StandardCharsets.UTF_8), inode);
                assertThat(twice).isNull();
                cookie[0] = next;
                return true;
              });
    }
    return names;
  }
}
