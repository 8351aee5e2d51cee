package sluice.fs.block;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.memory.block.Block;

/// A device of sectors: a disk, an image file, or memory. Safe for use by several threads at a
/// time; the order of concurrent transfers that overlap is undefined.
///
/// Bulk data is in [Block]s; a method holds a lease of each while it runs. A write is stable only
/// after a later [#flush]. A crash before it may leave any subset of the unflushed writes, with
/// each sector of [#sectorBytes] either old or new.
public interface BlockDevice extends AutoCloseable {
  /// Returns the length of the device, a whole number of sectors.
  long lengthBytes();

  /// Returns the unit of position and length of every transfer, a power of two from 512 to 4096.
  default int sectorBytes() {
    return 512;
  }

  default boolean readOnly() {
    return false;
  }

  /// Reads `bytes` bytes into a block.
  ///
  /// @param position in bytes, a multiple of the sector size
  /// @throws IOException if not all of it could be read; the block's content is undefined then
  void read(long position, Block into, long offset, int bytes) throws IOException;

  /// Performs all transfers, in any order and concurrently if the device can.
  ///
  /// @throws IOException if any transfer failed; it is undefined which of the others were performed
  default void read(Transfer[] transfers, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Transfer t = transfers[i];
      read(t.position(), t.block(), t.offset(), t.bytes());
    }
  }

  void write(long position, Block from, long offset, int bytes) throws IOException;

  /// Performs all transfers, like [#read(Transfer[], int)].
  default void write(Transfer[] transfers, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Transfer t = transfers[i];
      write(t.position(), t.block(), t.offset(), t.bytes());
    }
  }

  /// Registers memory that many transfers will use, so that the device can pin it once. Replaces
  /// the memory registered before. Only affects performance.
  default void register(MemorySegment region) {}

  /// Makes stable all writes that have returned before.
  ///
  /// @throws IOException if this cannot be guaranteed; unflushed writes may then be lost
  void flush() throws IOException;

  @Override
  void close() throws IOException;

  /// A part of a batch.
  record Transfer(long position, Block block, long offset, int bytes) {}
}
