package sluice.fs.block;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// A bounded cache of the blocks of one device. Safe for use by any thread.
///
/// Reading needs no transaction. All changes of blocks go through a [Journal], which defines the
/// order in which changed blocks reach the device.
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 4: the file system uses the
/// buffer cache, and the buffer cache uses the block device; neither depends on anything else of
/// the other.
public interface BufferCache extends AutoCloseable {
  /// Returns the block size: 1024, 2048 or 4096.
  int blockBytes();

  /// Returns the number of blocks of the device.
  long blocks();

  /// Returns a block, read from the device if it is not in memory. The caller closes it.
  ///
  /// @throws sluice.fs.FsException `EIO`, or `EUCLEAN` if there is no such block
  Buffer read(long block) throws IOException;

  /// Returns a block if it is in memory, else null. Never waits.
  @Nullable Buffer cached(long block);

  /// Copies from a block and the blocks that follow it on the device, while they are in memory.
  /// Never waits and takes no lease.
  ///
  /// @param offset the offset in the first block, less than the block size
  /// @return the number of bytes copied, up to the first block that is not in memory
  int copy(long block, int offset, Memory into, long at, int count);

  /// Returns the bytes of a block if it is in memory, else null. The caller gets a lease and ends
  /// it. Never waits and allocates nothing.
  @Nullable Block lease(long block);

  /// Returns four bytes of a block if it is in memory, little-endian, 0 to 2^32 - 1. Never waits
  /// and takes no lease. For block maps.
  ///
  /// @return -1 if the block is not in memory
  long peekInt(long block, int offset);

  /// Requests blocks that will be read soon. Does not wait.
  void readAhead(long first, int count);

  /// Writes changed blocks that may be written, oldest first, until at most `bytes` bytes are left.
  void writeBack(long bytes) throws IOException;

  /// Writes all blocks that may be written, and flushes the device.
  void sync() throws IOException;

  /// Returns the number of bytes that differ from the device.
  long dirtyBytes();

  /// Writes everything back. The memory is released when the last reader ends its lease.
  @Override
  void close() throws IOException;
}
