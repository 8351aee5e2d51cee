package sluice.loop.readiness;

import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.ECONNRESET;
import static sluice.sys.Errno.EPIPE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// One direction of a connection inside the process: a ring of bytes that grows up to a bound.
/// Guarded by the lock of its connection.
///
/// ```
/// OPEN ──end──▶ ENDED, what is there can be read ──▶ read to the end
///   ├──the reader closes──▶ DEAF, nothing can be written
///   └──either end resets──▶ RESET, what is there can be read, then an error
/// ```
final class InProcessPipe {
  /// What is written and not yet read, at most: about what Linux gives a socket at first.
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

  /// Bytes that were read.
  long taken() {
    return taken;
  }

  /// Whether a read does not fail with -EAGAIN.
  boolean readable() {
    return size > 0 || state != State.OPEN;
  }

  /// Whether a write does not fail with -EAGAIN.
  boolean writable() {
    return size < MOST_BYTES || state != State.OPEN;
  }

  /// No more bytes follow.
  void end() {
    if (state == State.OPEN) {
      state = State.ENDED;
    }
  }

  /// The reader is not interested any more.
  void deafen() {
    if (state == State.OPEN) {
      state = State.DEAF;
    }
    size = 0;
  }

  void reset() {
    state = State.RESET;
  }

  /// @return bytes taken, or -EAGAIN, -EPIPE, -ECONNRESET
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

  /// @return bytes read; 0 at the end, or -EAGAIN, -ECONNRESET
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
