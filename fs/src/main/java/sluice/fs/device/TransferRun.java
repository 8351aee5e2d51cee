package sluice.fs.device;

import java.lang.foreign.MemorySegment;
import sluice.fs.block.BlockDevice.Transfer;
import sluice.sys.IoVec;

/// Transfers that follow one another on the device, which are one operation of a [UringLane], and
/// how much of it is done. Of the thread that holds the lane.
final class TransferRun {
  /// No more are added behind so many bytes, so that long runs are several operations at a time.
  private static final int MOST_BYTES = 1 << 20;

  private final int sectorBytes;
  private Transfer[] transfers = {};
  private int first;
  private int end;
  private int vectorFirst;
  private int bytes;
  private int done;
  private long restAddress;

  TransferRun(int sectorBytes) {
    this.sectorBytes = sectorBytes;
  }

  /// Whether the device can take the memory as it lies.
  static boolean aligned(Transfer t, int sectorBytes) {
    return ((t.block().segment().address() + t.offset()) & (sectorBytes - 1)) == 0;
  }

  /// Takes one transfer, which is not empty, and those behind it that go on where it ends.
  ///
  /// @param to behind the last that may be taken
  /// @param vector first entry that may be used for their ranges, as many as transfers
  void begin(Transfer[] all, int from, int to, int vector) {
    transfers = all;
    first = from;
    vectorFirst = vector;
    bytes = 0;
    done = 0;
    end = from;
    do {
      bytes += all[end].bytes();
      end++;
    } while (end < to && goesOn(all[end]));
  }

  private boolean goesOn(Transfer t) {
    return t.position() == transfers[first].position() + bytes
        && bytes + (long) t.bytes() <= MOST_BYTES
        && aligned(t, sectorBytes);
  }

  /// Behind the last transfer that was taken.
  int end() {
    return end;
  }

  /// So many more bytes are done.
  ///
  /// @return whether all are
  boolean advance(int more) {
    done += more;
    return done >= bytes;
  }

  int restBytes() {
    return bytes - done;
  }

  /// Where on the device the rest begins.
  long restPosition() {
    return transfers[first].position() + done;
  }

  /// Where in memory the rest begins: good after [#fill].
  long restAddress() {
    return restAddress;
  }

  /// Where the ranges are, in bytes from the start of the vectors.
  long vectorAt() {
    return (long) vectorFirst * IoVec.SIZE;
  }

  /// Writes the ranges of the rest; what goes on in memory too is one.
  ///
  /// @return how many
  int fill(MemorySegment vectors) {
    int entries = 0;
    int skip = done;
    for (int i = first; i < end; i++) {
      Transfer t = transfers[i];
      if (skip < t.bytes()) {
        MemorySegment memory = t.block().segment();
        long offset = t.offset() + skip;
        restAddress = entries == 0 ? memory.address() + offset : restAddress;
        entries = IoVec.add(vectors, vectorAt(), entries, memory, offset, t.bytes() - skip);
      }
      skip = Math.max(0, skip - t.bytes());
    }
    return entries;
  }
}
