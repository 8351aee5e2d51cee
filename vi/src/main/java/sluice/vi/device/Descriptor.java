package sluice.vi.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A descriptor of one posted message. It contains the memory segments to gather from or scatter
/// to, and the result.
///
/// A descriptor is owned by the application until it is posted, and then by the device until the
/// device returns it. Each transfer of ownership publishes the fields. The ranges of the segments
/// must have been checked by the caller.
public final class Descriptor {
  /// The maximum number of segments of a message.
  public static final int MAX_PIECES = 8;

  private final MemorySegment[] memory;
  private final long[] offsets;
  private final int[] lengths;
  private final long[] keys;
  private final Object owner;
  private int pieces;
  private int lengthBytes;

  /// The number of bytes transferred so far, or the length of the message if a receive has
  /// completed.
  private int transferredBytes;

  /// A value for use by the device, which determines when the descriptor is complete.
  private long mark;

  private boolean done;
  private @Nullable Failure failure;

  /// Creates a descriptor.
  ///
  /// @param owner the object that identifies the descriptor to the application
  /// @param pieces the maximum number of segments
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

  /// Removes the segments and the result.
  public void clear() {
    pieces = 0;
    lengthBytes = 0;
    restart();
  }

  /// Resets the result so that the same segments can be posted again.
  public void restart() {
    transferredBytes = 0;
    mark = 0;
    done = false;
    failure = null;
  }

  /// Adds a segment.
  ///
  /// @param key the key that [Port#register] returned for this memory
  public void add(MemorySegment segment, long offset, int length, long key) {
    memory[pieces] = segment;
    offsets[pieces] = offset;
    lengths[pieces] = length;
    keys[pieces] = key;
    pieces++;
    lengthBytes = Math.addExact(lengthBytes, length);
  }

  /// Replaces all segments by a single one. The result remains unchanged until [#restart] is
  /// called.
  public void only(MemorySegment segment, long offset, int length, long key) {
    memory[0] = segment;
    offsets[0] = offset;
    lengths[0] = length;
    keys[0] = key;
    pieces = 1;
    lengthBytes = length;
  }

  /// Replaces the memory of the first segment by other memory that contains the same bytes. The
  /// calling thread must be the only thread that copies from it.
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

  /// Returns the total length of the segments.
  public int lengthBytes() {
    return lengthBytes;
  }

  public int transferredBytes() {
    return transferredBytes;
  }

  /// Sets the position of the next bytes to transfer. This is used when a device retransmits a part
  /// or restarts a message.
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

  /// Marks the descriptor as complete.
  public void finish() {
    done = true;
  }

  /// Marks the descriptor as complete with the given number of bytes transferred.
  public void finish(int bytes) {
    transferredBytes = bytes;
    done = true;
  }

  public void fail(Failure why) {
    failure = why;
    done = true;
  }

  /// Gathers the next `count` bytes from the segments.
  public void copyOut(MemorySegment to, long at, int count) {
    move(to, at, count, true);
  }

  /// Scatters `count` bytes after those transferred so far.
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
