package sluice.fs.block;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.memory.block.Block;

/// A device of sectors at fixed places: a disk, an image file, memory. Any thread may call, several
/// at a time; what overlaps in time and place has no defined order.
///
/// Bulk data is in [Block]s; while a method runs the device holds a lease on each. A write is
/// stable only after a later [#flush]; a crash before it may leave any subset of the unflushed
/// writes, each sector of [#sectorBytes] either old or new.
public interface BlockDevice extends AutoCloseable {
  /// Whole number of sectors.
  long lengthBytes();

  /// Unit of position and length of every transfer, a power of two from 512 to 4096.
  default int sectorBytes() {
    return 512;
  }

  default boolean readOnly() {
    return false;
  }

  /// Fills `bytes` of a block.
  ///
  /// @param position in bytes, a multiple of the sector
  /// @throws IOException when not all of it could be read; the block's content is undefined then
  void read(long position, Block into, long offset, int bytes) throws IOException;

  /// Carries out all transfers, in any order and many at a time where the device can.
  ///
  /// @throws IOException when any failed; which of the others were carried out is not said
  default void read(Transfer[] transfers, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Transfer t = transfers[i];
      read(t.position(), t.block(), t.offset(), t.bytes());
    }
  }

  void write(long position, Block from, long offset, int bytes) throws IOException;

  /// As the other: carries out all transfers, in any order.
  default void write(Transfer[] transfers, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Transfer t = transfers[i];
      write(t.position(), t.block(), t.offset(), t.bytes());
    }
  }

  /// Tells of memory that many transfers will use, so that the device can pin it once; takes the
  /// place of what was told before. Nothing depends on it but time.
  default void register(MemorySegment region) {}

  /// Makes everything stable whose write has returned before.
  ///
  /// @throws IOException when that cannot be promised: unflushed writes may be lost from now on
  void flush() throws IOException;

  @Override
  void close() throws IOException;

  /// One piece of a batch.
  record Transfer(long position, Block block, long offset, int bytes) {}
}
