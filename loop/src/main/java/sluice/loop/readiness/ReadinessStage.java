package sluice.loop.readiness;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The operations staged for the next turn, in order, stored as columns of primitives. Owned by the
/// engine's thread. The arrays are reused, so that staging allocates no memory once they have
/// grown.
final class ReadinessStage {
  static final int ACCEPT = 0;
  static final int RECEIVE = 1;
  static final int SEND = 2;

  /// This operation is followed by the number of [#RANGE] entries given by its length field.
  static final int SEND_VECTOR = 3;

  static final int RANGE = 4;
  static final int SEND_ALL = 5;
  static final int AWAIT_WRITABLE = 6;

  /// The length field contains the direction.
  static final int SHUTDOWN = 7;

  static final int CONNECT = 8;
  static final int CLOSE = 9;
  static final int CANCEL = 10;

  /// The length field contains the events.
  static final int POLL = 11;

  /// Accepts the waiting clients, then closes the listener.
  static final int CLOSE_LISTENER = 12;

  /// A [#SEND_VECTOR] after which more bytes follow immediately.
  static final int SEND_VECTOR_MORE = 13;

  private int[] operations = new int[64];
  private int[] sockets = new int[64];
  private long[] tokens = new long[64];
  private MemorySegment[] segments = new MemorySegment[64];
  private long[] offsets = new long[64];
  private int[] lengths = new int[64];
  private int count;

  ReadinessStage() {
    Arrays.fill(segments, MemorySegment.NULL);
  }

  void add(int operation, int socket, long token) {
    add(operation, socket, token, 0);
  }

  void add(int operation, int socket, long token, int argument) {
    if (count == operations.length) {
      grow();
    }
    operations[count] = operation;
    sockets[count] = socket;
    tokens[count] = token;
    lengths[count] = argument;
    count++;
  }

  /// Sets the bytes of the latest entry.
  void bytes(MemorySegment segment, long offset) {
    segments[count - 1] = segment;
    offsets[count - 1] = offset;
  }

  private void grow() {
    int size = 2 * count;
    operations = Arrays.copyOf(operations, size);
    sockets = Arrays.copyOf(sockets, size);
    tokens = Arrays.copyOf(tokens, size);
    segments = Arrays.copyOf(segments, size);
    Arrays.fill(segments, count, size, MemorySegment.NULL);
    offsets = Arrays.copyOf(offsets, size);
    lengths = Arrays.copyOf(lengths, size);
  }

  int count() {
    return count;
  }

  int operation(int index) {
    return operations[index];
  }

  int socket(int index) {
    return sockets[index];
  }

  long token(int index) {
    return tokens[index];
  }

  MemorySegment segment(int index) {
    return segments[index];
  }

  long offset(int index) {
    return offsets[index];
  }

  int length(int index) {
    return lengths[index];
  }

  void clear() {
    Arrays.fill(segments, 0, count, MemorySegment.NULL); // keeps no memory alive
    count = 0;
  }
}
