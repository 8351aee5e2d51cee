package sluice.fs.block;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// A cached block that is used by a single thread until it is closed.
///
/// The bytes are a snapshot, unless the buffer was returned by a [Transaction], in which case the
/// holder may write to them until the transaction is closed. Numbers are little-endian, as in ext2.
/// The journal uses big-endian numbers, for which there are separate methods ([#getIntBig]).
public abstract class Buffer implements AutoCloseable {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT_BIG =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final long number;
  private @Nullable Block held;

  /// Creates a buffer.
  ///
  /// @param held the bytes of the block, which are released when the buffer is closed
  public Buffer(long number, Block held) {
    this.number = number;
    this.held = held;
  }

  /// Returns the number of the block on its device.
  public final long number() {
    return number;
  }

  /// Returns the memory of the entire block. The buffer holds a lease of it until the buffer is
  /// closed.
  public final Block block() {
    if (held == null) {
      throw new IllegalStateException("the buffer of block " + number + " is closed");
    }
    return held;
  }

  /// Returns true if the holder may write to the block.
  protected abstract boolean writable();

  public final boolean closed() {
    return held == null;
  }

  /// Releases the block. Idempotent.
  @Override
  public final void close() {
    if (held != null) {
      Block block = held;
      held = null;
      letGo(block);
    }
  }

  /// Releases the block that was passed to the constructor. Called once.
  protected abstract void letGo(Block held);

  public final int lengthBytes() {
    return (int) block().lengthBytes();
  }

  public final int getByte(int offset) {
    return bytes().get(BYTE, offset) & 0xFF;
  }

  /// Returns the two bytes at the given offset as a number from 0 to 65535.
  public final int getShort(int offset) {
    return bytes().get(SHORT, offset) & 0xFFFF;
  }

  public final int getInt(int offset) {
    return bytes().get(INT, offset);
  }

  /// Returns the four bytes at the given offset as a number from 0 to 2^32 - 1.
  public final long getUnsignedInt(int offset) {
    return bytes().get(INT, offset) & 0xFFFF_FFFFL;
  }

  public final long getLong(int offset) {
    return bytes().get(LONG, offset);
  }

  /// Returns the four bytes at the given offset as a big-endian integer.
  public final int getIntBig(int offset) {
    return bytes().get(INT_BIG, offset);
  }

  public final void setByte(int offset, int value) {
    bytesToWrite().set(BYTE, offset, (byte) value);
  }

  public final void setShort(int offset, int value) {
    bytesToWrite().set(SHORT, offset, (short) value);
  }

  public final void setInt(int offset, int value) {
    bytesToWrite().set(INT, offset, value);
  }

  public final void setLong(int offset, long value) {
    bytesToWrite().set(LONG, offset, value);
  }

  public final void setIntBig(int offset, int value) {
    bytesToWrite().set(INT_BIG, offset, value);
  }

  public final void get(int offset, byte[] into, int at, int count) {
    MemorySegment.copy(bytes(), BYTE, offset, into, at, count);
  }

  /// Reads little-endian integers until the array is full.
  public final void getInts(int offset, int[] into) {
    MemorySegment.copy(bytes(), INT, offset, into, 0, into.length);
  }

  public final void set(int offset, byte[] from, int at, int count) {
    MemorySegment.copy(from, at, bytesToWrite(), BYTE, offset, count);
  }

  public final void fill(int offset, int count, int value) {
    bytesToWrite().asSlice(offset, count).fill((byte) value);
  }

  /// Returns four bytes of a block as a little-endian number from 0 to 2^32 - 1.
  public static long unsignedInt(Block block, int offset) {
    return block.segment().get(INT, offset) & 0xFFFF_FFFFL;
  }

  private MemorySegment bytesToWrite() {
    if (!writable()) {
      throw new UnsupportedOperationException("block " + number() + " was read, not changed");
    }
    return bytes();
  }

  private MemorySegment bytes() {
    return block().segment();
  }
}
