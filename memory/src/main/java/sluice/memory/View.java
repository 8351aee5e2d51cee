package sluice.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// A handler's view of received bytes. A view is a bounded, read-only flyweight over the arena.
///
/// A view is owned by one thread, is checked on every access, and is bound only while the handler
/// runs. An access from another thread, or after the handler has returned, throws an exception and
/// never touches memory. Views are bound by the loop through a [ViewBinder], which handlers cannot
/// access.
public final class View {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Thread owner;
  private MemorySegment segment = MemorySegment.NULL;
  private long base;
  private int length;

  View(Thread owner) {
    this.owner = owner;
  }

  void bind(MemorySegment segment, long offset, int length) {
    if (offset < 0 || length < 0 || offset > segment.byteSize() - length) {
      throw new IndexOutOfBoundsException(
          "view [" + offset + ", +" + length + ") of " + segment.byteSize() + " bytes");
    }
    this.segment = segment;
    this.base = offset;
    this.length = length;
  }

  void unbind() {
    segment = MemorySegment.NULL;
    base = 0;
    length = 0;
  }

  /// Returns the number of bytes in this view, or 0 after the handler has returned.
  public int length() {
    return length;
  }

  /// Returns the byte at the given index.
  public byte get(int index) {
    check(index, 1);
    return segment.get(BYTE, base + index);
  }

  /// Returns the four bytes at the given index as a little-endian integer.
  public int getInt(int index) {
    check(index, Integer.BYTES);
    return segment.get(INT, base + index);
  }

  /// Returns the eight bytes at the given index as a little-endian integer.
  public long getLong(int index) {
    check(index, Long.BYTES);
    return segment.get(LONG, base + index);
  }

  /// Returns the index of the first occurrence of `wanted` in the range `[from, to)`, or -1 if
  /// there is none.
  public int indexOf(byte wanted, int from, int to) {
    checkRange(from, to);
    long pattern = (wanted & 0xffL) * 0x0101010101010101L;
    int i = from;
    for (; i <= to - Long.BYTES; i += Long.BYTES) {
      long difference = segment.get(LONG, base + i) ^ pattern;
      long zeroes = (difference - 0x0101010101010101L) & ~difference & 0x8080808080808080L;
      if (zeroes != 0) {
        return i + (Long.numberOfTrailingZeros(zeroes) >>> 3);
      }
    }
    for (; i < to; i++) {
      if (segment.get(BYTE, base + i) == wanted) {
        return i;
      }
    }
    return -1;
  }

  /// Returns true if the bytes at the given index are equal to `expected`.
  public boolean startsWith(byte[] expected, int index) {
    return startsWith(expected, expected.length, index);
  }

  /// Returns true if the bytes at the given index are equal to the first `count` bytes of
  /// `expected`.
  public boolean startsWith(byte[] expected, int count, int index) {
    if (index < 0 || index > length - count) {
      return false;
    }
    checkOwner();
    int i = 0;
    for (; i <= count - Long.BYTES; i += Long.BYTES) {
      if (segment.get(LONG, base + index + i) != (long) LONGS.get(expected, i)) {
        return false;
      }
    }
    for (; i < count; i++) {
      if (segment.get(BYTE, base + index + i) != expected[i]) {
        return false;
      }
    }
    return true;
  }

  public void copyTo(int from, byte[] target, int at, int count) {
    check(from, count);
    MemorySegment.copy(segment, BYTE, base + from, target, at, count);
  }

  public void copyTo(int from, MemorySegment target, long at, int count) {
    check(from, count);
    MemorySegment.copy(segment, base + from, target, at, count);
  }

  /// Returns the bytes in the range `[from, to)` decoded as ISO-8859-1, with one character per
  /// byte. This method allocates, so it is not suitable for hot paths.
  public String latin1(int from, int to) {
    checkRange(from, to);
    byte[] bytes = new byte[to - from];
    MemorySegment.copy(segment, BYTE, base + from, bytes, 0, bytes.length);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /// Checks the given range and the current thread.
  void check(int index, int count) {
    if ((index | count) < 0 || index > length - count) {
      throw new IndexOutOfBoundsException(
          "[" + index + ", +" + count + ") of a view of " + length + " bytes");
    }
    checkOwner();
  }

  private void checkRange(int from, int to) {
    check(from, to - from);
  }

  @SuppressWarnings("ReferenceEquality") // identity is intended
  private void checkOwner() {
    if (Thread.currentThread() != owner) {
      throw new WrongThreadException("this view belongs to " + owner);
    }
  }
}
