package sluice.fs.device;

import java.lang.foreign.MemorySegment;
import sluice.fs.block.BlockDevice.Transfer;
import sluice.sys.IoVec;

/// A run of contiguous transfers that is executed as a single operation of a [UringLane], together
/// with its progress. Instances are confined to the thread that holds the lane.
final class TransferRun {
  /// The size at which a run ends, so that long sequences are split into several concurrent
  /// operations.
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

  /// Returns true if the alignment of the memory permits direct I/O.
  static boolean aligned(Transfer t, int sectorBytes) {
    return ((t.block().segment().address() + t.offset()) & (sectorBytes - 1)) == 0;
  }

  /// Begins a run with a non-empty transfer and the transfers that are contiguous with it.
  ///
  /// @param to the end of the range of transfers that may be included
  /// @param vector the index of the first vector entry that may be used, with one entry per
  ///   transfer
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

  /// Returns the index after the last transfer that is included.
  int end() {
    return end;
  }

  /// Adds to the number of bytes that have been transferred.
  ///
  /// @return true if all bytes have been transferred
  boolean advance(int more) {
    done += more;
    return done >= bytes;
  }

  int restBytes() {
    return bytes - done;
  }

  /// Returns the position on the device of the remaining bytes.
  long restPosition() {
    return transfers[first].position() + done;
  }

  /// Returns the address in memory of the remaining bytes. Valid after [#fill] has been called.
  long restAddress() {
    return restAddress;
  }

  /// Returns the offset in bytes of the run's entries in the vectors.
  long vectorAt() {
    return (long) vectorFirst * IoVec.SIZE;
  }

  /// Writes the vector entries for the remaining bytes. Ranges that are contiguous in memory are
  /// merged.
  ///
  /// @return the number of entries
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
