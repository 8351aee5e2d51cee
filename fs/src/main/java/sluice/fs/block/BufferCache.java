package sluice.fs.block;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Blocks of one device in memory, a bounded number of them. Any thread may call.
///
/// Reading needs no transaction. Whatever changes a block goes through a [Journal], which owns the
/// order in which changed blocks reach the device.
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 4: the file system uses the
/// buffer cache, the buffer cache uses the block device, and neither knows more of the other.
public interface BufferCache extends AutoCloseable {
  /// 1024, 2048 or 4096.
  int blockBytes();

  /// Number of blocks of the device.
  long blocks();

  /// The block, read from the device if it is not here. The caller closes it.
  ///
  /// @throws sluice.fs.FsException `EIO`, or `EUCLEAN` when there is no such block
  Buffer read(long block) throws IOException;

  /// The block if it is here: never waits.
  @Nullable Buffer cached(long block);

  /// Copies from a block, and from those that follow it on the device, as far as they are here:
  /// never waits, takes no lease. What copying reads.
  ///
  /// @param offset in the first block, less than its length
  /// @return bytes copied, up to the first block that is not here; 0 when it is the first one
  int copy(long block, int offset, Memory into, long at, int count);

  /// The block's bytes if they are here, with a lease for the caller, which ends it: never waits,
  /// makes no object. What reading without copying uses.
  @Nullable Block lease(long block);

  /// Four bytes of a block if it is here, little-endian, 0 to 2^32 - 1: never waits, takes no
  /// lease. For maps of blocks.
  ///
  /// @return -1 when it is not here
  long peekInt(long block, int offset);

  /// Asks for blocks that will soon be read, and does not wait.
  void readAhead(long first, int count);

  /// Writes what is dirty and may be written, oldest first, until at most `bytes` are left.
  void writeBack(long bytes) throws IOException;

  /// Writes everything that may be written and flushes the device.
  void sync() throws IOException;

  /// Bytes that differ from the device.
  long dirtyBytes();

  /// Writes everything back and releases the memory when the last reader lets go.
  @Override
  void close() throws IOException;
}
