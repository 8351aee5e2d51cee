package sluice.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// A handler's view of memory to fill. It is the counterpart of [View]: a bounded flyweight over
/// memory that the loop provides for the duration of one call.
///
/// A view is owned by one thread, is checked on every access, and is bound only while the handler
/// runs. An access from another thread, or after the handler has returned, throws an exception and
/// never touches memory. Views are bound by the loop through a [WritableViewBinder], which handlers
/// cannot access. The bytes that were written can be read through the read-only view that [#view]
/// returns.
public final class WritableView {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final View view;
  private MemorySegment segment = MemorySegment.NULL;
  private long base;

  WritableView(Thread owner) {
    view = new View(owner);
  }

  void bind(MemorySegment segment, long offset, int length) {
    if (segment.isReadOnly()) {
      throw new IllegalArgumentException("read-only memory never becomes writable");
    }
    view.bind(segment, offset, length);
    this.segment = segment;
    this.base = offset;
  }

  void unbind() {
    view.unbind();
    segment = MemorySegment.NULL;
    base = 0;
  }

  /// Returns the number of bytes in this view, or 0 after the handler has returned.
  public int length() {
    return view.length();
  }

  /// Returns a read-only view of the same bytes, which is bound for as long as this view is.
  public View view() {
    return view;
  }

  public void set(int index, byte value) {
    view.check(index, 1);
    segment.set(BYTE, base + index, value);
  }

  /// Writes an integer as four little-endian bytes at the given index.
  public void setInt(int index, int value) {
    view.check(index, Integer.BYTES);
    segment.set(INT, base + index, value);
  }

  /// Writes a long as eight little-endian bytes at the given index.
  public void setLong(int index, long value) {
    view.check(index, Long.BYTES);
    segment.set(LONG, base + index, value);
  }

  public void copyFrom(byte[] source, int at, int to, int count) {
    view.check(to, count);
    MemorySegment.copy(source, at, segment, BYTE, base + to, count);
  }

  /// Copies the given number of bytes from another view.
  public void copyFrom(View source, int from, int to, int count) {
    view.check(to, count);
    source.copyTo(from, segment, base + to, count);
  }

  /// Sets all bytes in the range `[from, to)` to the given value.
  public void fill(int from, int to, byte value) {
    view.check(from, to - from);
    segment.asSlice(base + from, to - from).fill(value);
  }
}
