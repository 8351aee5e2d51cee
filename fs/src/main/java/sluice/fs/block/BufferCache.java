package sluice.fs.block;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// A bounded cache of the blocks of a single device. Implementations are thread-safe.
///
/// Blocks can be read without a transaction. All changes to blocks are made through a [Journal],
/// which defines the order in which changed blocks reach the device.
///
/// The design follows Golm et al., "The JX Operating System", USENIX 2002, section 4: the file
/// system uses only the interface of the buffer cache, and the buffer cache uses only the interface
/// of the block device.
public interface BufferCache extends AutoCloseable {
  /// Returns the block size in bytes, which is 1024, 2048 or 4096.
  int blockBytes();

  /// Returns the number of blocks on the device.
  long blocks();

  /// Returns the given block, and reads it from the device if it is not in memory. The caller must
  /// close the buffer.
  ///
  /// @throws sluice.fs.FsException `EIO` if reading fails, or `EUCLEAN` if the block does not exist
  Buffer read(long block) throws IOException;

  /// Returns the given block if it is in memory, or null. This method never blocks.
  @Nullable Buffer cached(long block);

  /// Copies bytes from the given block and from the blocks that follow it on the device, as long as
  /// they are in memory. This method never blocks and acquires no lease.
  ///
  /// @param offset the offset in the first block, which is less than the block size
  /// @return the number of bytes copied, up to the first block that is not in memory
  int copy(long block, int offset, Memory into, long at, int count);

  /// Returns the bytes of the given block if it is in memory, or null. The caller receives a lease
  /// and must release it. This method never blocks and does not allocate.
  @Nullable Block lease(long block);

  /// Returns four bytes of the given block as a little-endian number from 0 to 2^32 - 1 if the
  /// block is in memory. This method is intended for block maps. It never blocks and acquires no
  /// lease.
  ///
  /// @return the number, or -1 if the block is not in memory
  long peekInt(long block, int offset);

  /// Prefetches blocks that will be read soon. This method does not wait for them.
  void readAhead(long first, int count);

  /// Writes changed blocks that may be written, oldest first, until at most `bytes` bytes remain
  /// changed.
  void writeBack(long bytes) throws IOException;

  /// Writes all changed blocks that may be written, and flushes the device.
  void sync() throws IOException;

  /// Returns the number of cached bytes that differ from the device.
  long dirtyBytes();

  /// Writes all changed blocks and closes the cache. The memory is freed when the last reader
  /// releases its lease.
  @Override
  void close() throws IOException;
}
