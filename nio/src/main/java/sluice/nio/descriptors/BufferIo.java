package sluice.nio.descriptors;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import sluice.nio.descriptors.ScratchBuffers.Scratch;

/// The transfer of byte buffers of any kind through a [ByteMover]. Stateless. The methods are
/// called by the thread that holds the lock of the direction.
///
/// A direct buffer is passed to the kernel without a copy. Its arena is kept open until the call
/// returns, and if the arena was already closed, an [IllegalStateException] is thrown. Heap buffers
/// and small adjacent buffers are copied through a scratch buffer, because copying short buffers is
/// cheaper than building a vector. This also ensures that a vector never refers to memory that
/// another thread may unmap.
public final class BufferIo {
  /// The minimum size of direct buffers that are passed to the kernel individually.
  private static final int LARGE_BYTES = 16 << 10;

  private BufferIo() {}

  /// Receives into one buffer and advances its position.
  ///
  /// @return the number of bytes received, 0 if the buffer is full, [ByteMover#EOF], or a negative
  ///   errno
  public static int read(ByteMover from, ByteBuffer to) {
    if (to.isReadOnly()) {
      throw new IllegalArgumentException("Read-only buffer");
    }
    int room = to.remaining();
    if (room == 0) {
      return 0;
    }
    if (to.isDirect()) {
      int n = from.receive(MemorySegment.ofBuffer(to), 0, room);
      if (n > 0) {
        to.position(to.position() + n);
      }
      return n;
    }
    try (Scratch scratch = ScratchBuffers.borrow()) {
      int total = 0;
      while (total < room) {
        int ask = Math.min(room - total, ScratchBuffers.BYTES);
        int n = from.receive(scratch.segment, 0, ask);
        if (n <= 0) {
          return total > 0 ? total : n;
        }
        get(scratch.segment, 0, to, n);
        total += n;
        if (n < ask) {
          break;
        }
      }
      return total;
    }
  }

  /// Receives into several buffers in order.
  ///
  /// @return the result as defined by [#read(ByteMover, ByteBuffer)]
  public static long read(ByteMover from, ByteBuffer[] to, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (to[i].isReadOnly()) {
        throw new IllegalArgumentException("Read-only buffer");
      }
    }
    long total = 0;
    int i = offset;
    while (i < offset + length) {
      if (!to[i].hasRemaining()) {
        i++;
        continue;
      }
      int last = lastNeighbour(to, i, offset + length);
      int ask = (int) remaining(to, i, last - i + 1);
      int n = last == i ? read(from, to[i]) : scatter(from, to, i, last, ask);
      if (n <= 0) {
        return total > 0 ? total : n;
      }
      total += n;
      if (n < ask) {
        break;
      }
      i = last + 1;
    }
    return total;
  }

  /// Returns the index of the last buffer that is transferred together with the given non-empty
  /// buffer.
  private static int lastNeighbour(ByteBuffer[] buffers, int first, int end) {
    int last = first;
    long bytes = buffers[first].remaining();
    if (bytes < LARGE_BYTES) {
      while (last + 1 < end && bytes + buffers[last + 1].remaining() <= ScratchBuffers.BYTES) {
        bytes += buffers[++last].remaining();
      }
    }
    return last;
  }

  private static int scatter(ByteMover from, ByteBuffer[] to, int first, int last, int ask) {
    try (Scratch scratch = ScratchBuffers.borrow()) {
      int n = from.receive(scratch.segment, 0, ask);
      int done = 0;
      for (int i = first; i <= last && done < n; i++) {
        int part = Math.min(n - done, to[i].remaining());
        get(scratch.segment, done, to[i], part);
        done += part;
      }
      return n;
    }
  }

  /// Sends the bytes of one buffer and advances its position by the number of bytes sent.
  ///
  /// @return the number of bytes sent, or a negative errno if none were sent
  public static int write(ByteMover into, ByteBuffer from) {
    int length = from.remaining();
    if (from.isDirect()) {
      int n = into.send(MemorySegment.ofBuffer(from), 0, length);
      if (n > 0) {
        from.position(from.position() + n);
      }
      return n;
    }
    try (Scratch scratch = ScratchBuffers.borrow()) {
      int total = 0;
      do {
        int part = Math.min(length - total, ScratchBuffers.BYTES);
        put(from, from.position(), scratch.segment, 0, part);
        int n = into.send(scratch.segment, 0, part);
        if (n < 0) {
          return total > 0 ? total : n;
        }
        from.position(from.position() + n);
        total += n;
        if (n < part) {
          break;
        }
      } while (total < length);
      return total;
    }
  }

  /// Sends the bytes of several buffers in order.
  ///
  /// @return the result as defined by [#write(ByteMover, ByteBuffer)]
  public static long write(ByteMover into, ByteBuffer[] from, int offset, int length) {
    long total = 0;
    int i = offset;
    while (i < offset + length) {
      if (!from[i].hasRemaining()) {
        i++;
        continue;
      }
      int last = lastNeighbour(from, i, offset + length);
      int ask = (int) remaining(from, i, last - i + 1);
      int n = last == i ? write(into, from[i]) : gather(into, from, i, last, ask);
      if (n < 0) {
        return total > 0 ? total : n;
      }
      total += n;
      if (n < ask) {
        break;
      }
      i = last + 1;
    }
    return total;
  }

  private static int gather(ByteMover into, ByteBuffer[] from, int first, int last, int ask) {
    try (Scratch scratch = ScratchBuffers.borrow()) {
      int at = 0;
      for (int i = first; i <= last; i++) {
        int part = from[i].remaining();
        put(from[i], from[i].position(), scratch.segment, at, part);
        at += part;
      }
      int n = into.send(scratch.segment, 0, ask);
      int left = Math.max(0, n);
      for (int i = first; i <= last && left > 0; i++) {
        int part = Math.min(left, from[i].remaining());
        from[i].position(from[i].position() + part);
        left -= part;
      }
      return n;
    }
  }

  /// Returns the total number of bytes remaining in the given buffers.
  public static long remaining(ByteBuffer[] buffers, int offset, int length) {
    long total = 0;
    for (int i = offset; i < offset + length; i++) {
      total += buffers[i].remaining();
    }
    return total;
  }

  /// Copies bytes from native memory and advances the buffer's position.
  static void get(MemorySegment from, long offset, ByteBuffer to, int length) {
    if (to.hasArray()) {
      MemorySegment.copy(
          from,
          ValueLayout.JAVA_BYTE,
          offset,
          to.array(),
          to.arrayOffset() + to.position(),
          length);
    } else {
      MemorySegment.copy(from, offset, MemorySegment.ofBuffer(to), 0, length);
    }
    to.position(to.position() + length);
  }

  /// Copies bytes into native memory without changing the buffer's position.
  static void put(ByteBuffer from, int position, MemorySegment to, long offset, int length) {
    if (from.hasArray()) {
      MemorySegment.copy(
          from.array(), from.arrayOffset() + position, to, ValueLayout.JAVA_BYTE, offset, length);
    } else {
      MemorySegment source = MemorySegment.ofBuffer(from);
      MemorySegment.copy(source, position - from.position(), to, offset, length);
    }
  }
}
