package sluice.bench.iozone;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.SliceSink;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// A file of Sluice's [Ext2] in this process. Used by one thread, besides those of the tree.
///
/// It does the same as the system calls of the peers: opening looks up the name, checks the rights
/// and keeps the file in existence; access times are updated as with `relatime`. Its buffer is
/// allocated as the guide recommends.
final class IozoneTree implements IozoneTarget {
  private static final AttributeChange EMPTY = AttributeChange.NONE.withSizeOfOpened(0);

  private final byte[][] names = new byte[FILES][];
  private final BlockDevice device;
  private final FileTree tree;
  private final Block block;
  private final Memory memory;
  private final SliceSink sink = this::look;
  private long inode;
  private long seen;

  /// @param device closed with this
  private IozoneTree(BlockDevice device, long cacheBytes) throws IOException {
    this.device = device;
    tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(cacheBytes));
    for (int i = 0; i < FILES; i++) {
      names[i] = ("iozone." + i).getBytes(US_ASCII);
    }
    int bytes = MAX_RECORD_BYTES;
    Block made = Block.allocate(new Account("iozone", bytes), bytes);
    if (made == null) {
      throw new IOException("no memory for the buffer");
    }
    block = made;
    block.segment().fill((byte) 5);
    memory = Memory.over(block, 0, bytes);
  }

  /// Returns the file system of a kind.
  ///
  /// @param kind `memory`, `journal` (a log, in memory), `file` or `io_uring`
  /// @param image for the last two: an image of ext2
  /// @param deviceBytes for the first two
  static IozoneTree of(String kind, Path image, long deviceBytes, long cacheBytes)
      throws IOException {
    return switch (kind) {
      case "memory" -> new IozoneTree(formatted(deviceBytes, false), cacheBytes);
      case "journal" -> new IozoneTree(formatted(deviceBytes, true), cacheBytes);
      case "file" -> new IozoneTree(BlockDevices.file(image, false), cacheBytes);
      case "io_uring" ->
          new IozoneTree(BlockDevices.direct(image, false, IozoneTree::refuse), cacheBytes);
      default -> throw new IllegalArgumentException(kind);
    };
  }

  private static void refuse(String notice) {
    throw new IllegalStateException("this would not measure io_uring with O_DIRECT: " + notice);
  }

  private static BlockDevice formatted(long bytes, boolean journal) throws IOException {
    BlockDevice device = BlockDevices.memory(bytes);
    FormatOptions format = FormatOptions.forDevice(bytes).withBlockBytes(4096);
    if (!journal) {
      format = format.withJournalBlocks(0);
    }
    Ext2Format.format(device, format, _ -> {});
    return device;
  }

  @Override
  public void create(int index) throws IOException {
    inode = tree.create(Caller.ROOT, tree.rootInode(), names[index], NewFile.regular(0x1A4));
    tree.retain(inode);
  }

  @Override
  public void open() throws IOException {
    long found = tree.lookup(Caller.ROOT, tree.rootInode(), names[0]);
    int rights = FileTree.READ | FileTree.WRITE;
    if (tree.access(Caller.ROOT, found, rights) != rights) {
      throw FsException.of(Errno.EACCES, "iozone.0");
    }
    tree.retain(found);
    inode = found;
  }

  @Override
  public void shut() throws IOException {
    if (inode != 0) {
      tree.release(inode);
      inode = 0;
    }
  }

  @Override
  public void remove(int index) throws IOException {
    try {
      tree.unlink(Caller.ROOT, tree.rootInode(), names[index]);
    } catch (FsException e) {
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
    }
  }

  @Override
  public void write(long position, int bytes) throws IOException {
    if (tree.write(Caller.ROOT, inode, position, memory, 0, bytes) != bytes) {
      throw new IOException("a short write at " + position);
    }
  }

  @Override
  public void read(long position, int bytes) throws IOException {
    if (tree.read(inode, position, memory, 0, bytes) != bytes) {
      throw new EOFException("a short read at " + position);
    }
  }

  @Override
  public void readSlices(long position, int bytes) throws IOException {
    if (tree.slices(inode, position, bytes, sink) != bytes) {
      throw new EOFException("a short read at " + position);
    }
  }

  /// Reads eight bytes of each slice.
  private void look(Block piece, long offset, int bytes) {
    seen += piece.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, offset + bytes - Long.BYTES);
  }

  /// Returns the sum of the bytes read, which keeps the compiler from removing the reads.
  long seen() {
    return seen;
  }

  @Override
  public void truncate() throws IOException {
    tree.setAttributes(Caller.ROOT, inode, EMPTY);
  }

  @Override
  public void sync() throws IOException {
    tree.sync(inode, false);
  }

  @Override
  public void mark(long value) {
    memory.setLong(0, value);
  }

  @Override
  public long marked() {
    return memory.getLong(0);
  }

  @Override
  public void close() throws IOException {
    shut();
    memory.close();
    block.release();
    tree.close();
    device.close();
  }
}
