package sluice.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// A handler's view of bytes to fill: the counterpart of [View], a bounded flyweight over memory
/// that the loop provides during one call.
///
/// Owned by one thread, checked on every access, and bound only while the handler runs: an access
/// from another thread, or after the handler has returned, throws and never touches memory. The
/// loop binds it through a [WritableViewBinder]; handlers cannot. The written bytes can be read
/// through [#view], which cannot write.
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

  /// Returns the number of bytes; 0 after the handler has returned.
  public int length() {
    return view.length();
  }

  /// Returns a read-only view of the same bytes, bound as long as this view is.
  public View view() {
    return view;
  }

  public void set(int index, byte value) {
    view.check(index, 1);
    segment.set(BYTE, base + index, value);
  }

  /// Writes four bytes from `index` on, little-endian.
  public void setInt(int index, int value) {
    view.check(index, Integer.BYTES);
    segment.set(INT, base + index, value);
  }

  /// Writes eight bytes from `index` on, little-endian.
  public void setLong(int index, long value) {
    view.check(index, Long.BYTES);
    segment.set(LONG, base + index, value);
  }

  public void copyFrom(byte[] source, int at, int to, int count) {
    view.check(to, count);
    MemorySegment.copy(source, at, segment, BYTE, base + to, count);
  }

  /// Copies from another view.
  public void copyFrom(View source, int from, int to, int count) {
    view.check(to, count);
    source.copyTo(from, segment, base + to, count);
  }

  /// Sets the bytes `[from, to)` to the same value.
  public void fill(int from, int to, byte value) {
    view.check(from, to - from);
    segment.asSlice(base + from, to - from).fill(value);
  }
}
