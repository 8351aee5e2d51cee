package sluice.vi.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A descriptor of one posted message: the pieces of memory to gather from or scatter to, and the
/// result.
///
/// It belongs to the application until it is posted, then to the device until the device returns
/// it; the hand-over publishes the fields. Pieces are trusted: the caller has checked their ranges.
public final class Descriptor {
  /// The most pieces of one message.
  public static final int MAX_PIECES = 8;

  private final MemorySegment[] memory;
  private final long[] offsets;
  private final int[] lengths;
  private final long[] keys;
  private final Object owner;
  private int pieces;
  private int lengthBytes;

  /// The number of bytes moved so far; for a completed receive, the length of the message.
  private int transferredBytes;

  /// A value for the device: the point at which the descriptor will be done.
  private long mark;

  private boolean done;
  private @Nullable Failure failure;

  /// Creates a descriptor.
  ///
  /// @param owner the object by which the application knows it
  /// @param pieces the most pieces it will ever have
  public Descriptor(Object owner, int pieces) {
    this.owner = owner;
    memory = new MemorySegment[pieces];
    offsets = new long[pieces];
    lengths = new int[pieces];
    keys = new long[pieces];
  }

  public Object owner() {
    return owner;
  }

  /// Removes the pieces and the result.
  public void clear() {
    pieces = 0;
    lengthBytes = 0;
    restart();
  }

  /// Resets the result, so that the same pieces can be posted again.
  public void restart() {
    transferredBytes = 0;
    mark = 0;
    done = false;
    failure = null;
  }

  /// Adds a piece.
  ///
  /// @param key the result of [Port#register] for this memory
  public void add(MemorySegment segment, long offset, int length, long key) {
    memory[pieces] = segment;
    offsets[pieces] = offset;
    lengths[pieces] = length;
    keys[pieces] = key;
    pieces++;
    lengthBytes = Math.addExact(lengthBytes, length);
  }

  /// Replaces the pieces by one. The result is unchanged until [#restart].
  public void only(MemorySegment segment, long offset, int length, long key) {
    memory[0] = segment;
    offsets[0] = offset;
    lengths[0] = length;
    keys[0] = key;
    pieces = 1;
    lengthBytes = length;
  }

  /// Moves the first piece to other memory that holds the same bytes. Only for a thread that alone
  /// copies from it.
  public void move(MemorySegment segment, long offset) {
    memory[0] = segment;
    offsets[0] = offset;
  }

  public int pieces() {
    return pieces;
  }

  public MemorySegment memory(int piece) {
    return memory[piece];
  }

  public long offset(int piece) {
    return offsets[piece];
  }

  public int length(int piece) {
    return lengths[piece];
  }

  public long key(int piece) {
    return keys[piece];
  }

  /// Returns the total length of the pieces.
  public int lengthBytes() {
    return lengthBytes;
  }

  public int transferredBytes() {
    return transferredBytes;
  }

  /// Sets the position of the next bytes to move, when a device sends a part again or restarts a
  /// message.
  public void seek(int bytes) {
    transferredBytes = bytes;
  }

  public long mark() {
    return mark;
  }

  public void mark(long value) {
    mark = value;
  }

  public boolean isDone() {
    return done;
  }

  public @Nullable Failure failure() {
    return failure;
  }

  /// Marks the descriptor as finished by the device.
  public void finish() {
    done = true;
  }

  /// Marks the descriptor as finished by the device, with a number of bytes moved.
  public void finish(int bytes) {
    transferredBytes = bytes;
    done = true;
  }

  public void fail(Failure why) {
    failure = why;
    done = true;
  }

  /// Gathers the next `count` bytes of the pieces.
  public void copyOut(MemorySegment to, long at, int count) {
    move(to, at, count, true);
  }

  /// Scatters `count` bytes behind those moved so far.
  public void copyIn(MemorySegment from, long at, int count) {
    move(from, at, count, false);
  }

  private void move(MemorySegment other, long at, int count, boolean out) {
    int skip = transferredBytes;
    if (pieces == 1 && count <= lengths[0] - skip) { // nearly always
      if (out) {
        MemorySegment.copy(memory[0], offsets[0] + skip, other, at, count);
      } else {
        MemorySegment.copy(other, at, memory[0], offsets[0] + skip, count);
      }
      transferredBytes = skip + count;
      return;
    }
    int left = count;
    long position = at;
    for (int i = 0; left > 0 && i < pieces; i++) {
      int length = lengths[i] - skip;
      if (length <= 0) {
        skip = -length;
        continue;
      }
      int now = Math.min(length, left);
      if (out) {
        MemorySegment.copy(memory[i], offsets[i] + skip, other, position, now);
      } else {
        MemorySegment.copy(other, position, memory[i], offsets[i] + skip, now);
      }
      skip = 0;
      left -= now;
      position += now;
    }
    transferredBytes += count - left;
  }
}
