package sluice.loop.engine;

import java.lang.foreign.MemorySegment;

/// The ranges of one gathering send, at most [#LIMIT]. The vector is reused by its owner, because
/// the transport copies the entries when the send is staged.
public final class SendVector {
  /// The maximum number of ranges in one send, which is well below the kernel's `UIO_MAXIOV` of
  /// 1024.
  public static final int LIMIT = 256;

  private final MemorySegment[] segments = new MemorySegment[LIMIT];
  private final long[] offsets = new long[LIMIT];
  private final int[] lengths = new int[LIMIT];
  private int count;
  private int totalBytes;
  private boolean more;

  public void clear() {
    for (int i = 0; i < count; i++) {
      segments[i] = MemorySegment.NULL;
    }
    count = 0;
    totalBytes = 0;
    more = false;
  }

  /// Appends a range.
  ///
  /// @throws IllegalStateException if the vector is full or would exceed 2 GiB
  public void add(MemorySegment segment, long offset, int length) {
    if (count == LIMIT || totalBytes > Integer.MAX_VALUE - length) {
      throw new IllegalStateException("send vector is full: " + count + " ranges");
    }
    segments[count] = segment;
    offsets[count] = offset;
    lengths[count] = length;
    count++;
    totalBytes += length;
  }

  /// Announces that further bytes are sent immediately afterwards in another way, so that the end
  /// of this send does not need a separate packet (`MSG_MORE`).
  public void moreFollows() {
    more = true;
  }

  /// Returns true if [#moreFollows] was called.
  public boolean more() {
    return more;
  }

  public int count() {
    return count;
  }

  public int totalBytes() {
    return totalBytes;
  }

  public MemorySegment segment(int index) {
    return segments[index];
  }

  public long offset(int index) {
    return offsets[index];
  }

  public int length(int index) {
    return lengths[index];
  }
}
