package sluice.loop;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import sluice.loop.output.OutSegment;
import sluice.loop.output.Staging;
import sluice.memory.block.Block;

/// A position in an [Output] to which a handler can roll back, and a gap behind it that is filled
/// in later. It is intended for handlers that write their reply in place and may still pass the
/// message on. Owned by the loop's thread. The same object is used for one handler after another.
///
/// A mark is valid within a single call of the protocol, because the staged bytes are sent with the
/// turn.
public final class OutputMark {
  private @Nullable Output output;
  private @Nullable OutSegment tail;
  private int tailLength;
  private long queuedBytes;
  private int slab;
  private int position;
  private @Nullable Block gap;
  private long gapAt;
  private int gapLength;

  /// Marks the current end of the output.
  public void set(Output at) {
    Staging staging = at.staging();
    OutSegment last = at.tail();
    output = at;
    tail = last;
    tailLength = last == null ? 0 : last.length;
    queuedBytes = at.queuedBytes();
    slab = staging.currentSlab();
    position = staging.position();
    gap = null;
  }

  /// Returns the number of bytes staged since [#set].
  public long bytesSince() {
    return marked().queuedBytes() - queuedBytes;
  }

  /// Drops all bytes staged since [#set].
  public void rollback() {
    Output marked = marked();
    marked.truncate(tail, tailLength, queuedBytes);
    marked.staging().rewind(slab, position);
    clear();
  }

  /// Stages a gap of `count` bytes that is filled in by [#fill] and contains spaces until then.
  ///
  /// @param count 1 to 64
  public void reserve(int count) {
    Output marked = marked();
    gapAt = marked.claim(count);
    gapLength = count;
    gap = marked.staging().slab();
    for (int i = 0; i < count; i++) {
      gap.segment().set(ValueLayout.JAVA_BYTE, gapAt + i, (byte) ' ');
    }
  }

  /// Overwrites the end of the gap.
  ///
  /// @param count at most the number of reserved bytes
  public void fill(byte[] bytes, int from, int count) {
    Block block = gap;
    if (block == null || count > gapLength) {
      throw new IllegalStateException("no gap of " + count + " bytes was reserved");
    }
    MemorySegment.copy(
        bytes, from, block.segment(), ValueLayout.JAVA_BYTE, gapAt + gapLength - count, count);
  }

  /// Releases the output.
  public void clear() {
    output = null;
    tail = null;
    gap = null;
  }

  private Output marked() {
    Output marked = output;
    if (marked == null) {
      throw new IllegalStateException("no output is marked");
    }
    return marked;
  }
}
