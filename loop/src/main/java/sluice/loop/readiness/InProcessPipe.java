package sluice.loop.readiness;

import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.ECONNRESET;
import static sluice.sys.Errno.EPIPE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A pipe for one direction of an in-process connection, implemented as a ring of bytes that grows
/// up to a limit. Guarded by the lock of its connection.
///
/// ```
/// OPEN ──end──▶ ENDED, buffered bytes can be read ──▶ read to the end
///   ├──the reader closes──▶ DEAF, nothing can be written
///   └──either end resets──▶ RESET, buffered bytes can be read, then an error
/// ```
final class InProcessPipe {
  /// The maximum number of bytes that are written and not yet read, which is similar to the initial
  /// buffer size of a Linux socket.
  static final int MOST_BYTES = 64 << 10;

  private static final int FIRST_BYTES = 4 << 10;

  enum State {
    OPEN,
    ENDED,
    DEAF,
    RESET
  }

  private State state = State.OPEN;
  private byte[] ring = new byte[FIRST_BYTES];
  private int head;
  private int size;
  private long taken;

  State state() {
    return state;
  }

  int size() {
    return size;
  }

  /// Returns the number of bytes that have been read.
  long taken() {
    return taken;
  }

  /// Returns true if a read would not fail with -EAGAIN.
  boolean readable() {
    return size > 0 || state != State.OPEN;
  }

  /// Returns true if a write would not fail with -EAGAIN.
  boolean writable() {
    return size < MOST_BYTES || state != State.OPEN;
  }

  /// Ends the stream. No more bytes follow.
  void end() {
    if (state == State.OPEN) {
      state = State.ENDED;
    }
  }

  /// Closes the reading side and discards the buffered bytes.
  void deafen() {
    if (state == State.OPEN) {
      state = State.DEAF;
    }
    size = 0;
  }

  void reset() {
    state = State.RESET;
  }

  /// Writes bytes.
  ///
  /// @return the number of bytes accepted, or -EAGAIN, -EPIPE or -ECONNRESET
  int write(MemorySegment from, long at, int count) {
    if (state != State.OPEN) {
      return state == State.RESET ? -ECONNRESET : -EPIPE;
    }
    int n = Math.min(count, MOST_BYTES - size);
    if (n == 0 && count > 0) {
      return -EAGAIN;
    }
    if (size + n > ring.length) {
      grow(size + n);
    }
    int start = (head + size) & (ring.length - 1);
    int first = Math.min(n, ring.length - start);
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, ring, start, first);
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at + first, ring, 0, n - first);
    size += n;
    return n;
  }

  private void grow(int least) {
    byte[] larger = new byte[Integer.highestOneBit(least - 1) << 1];
    int first = Math.min(size, ring.length - head);
    System.arraycopy(ring, head, larger, 0, first);
    System.arraycopy(ring, 0, larger, first, size - first);
    ring = larger;
    head = 0;
  }

  /// Reads bytes.
  ///
  /// @return the number of bytes read, or 0 at the end of the stream, or -EAGAIN or -ECONNRESET
  int read(MemorySegment into, long at, int count) {
    if (size == 0) {
      return switch (state) {
        case OPEN -> -EAGAIN;
        case ENDED, DEAF -> 0;
        case RESET -> -ECONNRESET;
      };
    }
    int n = Math.min(count, size);
    int first = Math.min(n, ring.length - head);
    MemorySegment.copy(ring, head, into, ValueLayout.JAVA_BYTE, at, first);
    MemorySegment.copy(ring, 0, into, ValueLayout.JAVA_BYTE, at + first, n - first);
    head = (head + n) & (ring.length - 1);
    size -= n;
    taken += n;
    return n;
  }
}
