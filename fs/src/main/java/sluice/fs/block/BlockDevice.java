package sluice.fs.block;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.memory.block.Block;

/// A device that consists of sectors, such as a disk, an image file, or memory. Implementations may
/// be used by several threads at the same time. If concurrent transfers overlap, the order in which
/// they are performed is undefined.
///
/// Bulk data is passed in [Block]s, and each method holds a lease of the blocks while it runs. A
/// write is durable only after a later [#flush] has returned. If the system crashes before that,
/// any subset of the writes that were not flushed may be present, and each sector of [#sectorBytes]
/// contains either the old or the new content.
public interface BlockDevice extends AutoCloseable {
  /// Returns the length of the device in bytes, which is a multiple of the sector size.
  long lengthBytes();

  /// Returns the sector size. The position and length of every transfer must be a multiple of it.
  /// It is a power of two from 512 to 4096.
  default int sectorBytes() {
    return 512;
  }

  default boolean readOnly() {
    return false;
  }

  /// Reads the given number of bytes into a block.
  ///
  /// @param position the position in bytes, a multiple of the sector size
  /// @throws IOException if not all bytes could be read, in which case the content of the block is
  ///   undefined
  void read(long position, Block into, long offset, int bytes) throws IOException;

  /// Performs all of the given transfers in any order, and concurrently if the device supports it.
  ///
  /// @throws IOException if any transfer failed; it is undefined which of the others were performed
  default void read(Transfer[] transfers, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Transfer t = transfers[i];
      read(t.position(), t.block(), t.offset(), t.bytes());
    }
  }

  void write(long position, Block from, long offset, int bytes) throws IOException;

  /// Performs all of the given transfers, like [#read(Transfer[], int)].
  default void write(Transfer[] transfers, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Transfer t = transfers[i];
      write(t.position(), t.block(), t.offset(), t.bytes());
    }
  }

  /// Registers a region of memory that will be used by many transfers, so that the device can pin
  /// it once. The region replaces any region that was registered before. Registering memory only
  /// affects performance.
  default void register(MemorySegment region) {}

  /// Makes all writes durable that have returned before this call.
  ///
  /// @throws IOException if durability cannot be guaranteed, in which case unflushed writes may be
  ///   lost
  void flush() throws IOException;

  @Override
  void close() throws IOException;

  /// A single transfer of a batch.
  record Transfer(long position, Block block, long offset, int bytes) {}
}
