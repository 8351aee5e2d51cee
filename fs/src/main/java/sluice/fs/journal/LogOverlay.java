package sluice.fs.journal;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.device.Transfers;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// A view of a device as if its log had been replayed. It is used by read-only mounts. After
/// [#over] has returned, any thread may read it.
///
/// The content of logged blocks is not kept in memory but read from the log. Only the locations of
/// the blocks are kept, which require at most 48 bytes per block for at most [#MOST_BLOCKS] blocks.
/// While the log is scanned, revoked blocks require the same amount again. The total is at most 100
/// MB, and far less than 1 MB for typical logs.
public final class LogOverlay implements BlockDevice, LogTarget {
  /// The maximum number of distinct blocks in a log, and of blocks that are revoked by it. A log of
  /// 4 GB with blocks of 4 KB cannot contain more.
  public static final int MOST_BLOCKS = 1 << 20;

  private static final int NOTHING = -1;

  private final BlockDevice device;
  private final int blockBytes;
  private final int blockShift;
  private final long[] places;

  /// The location of each block in the log, multiplied by two, plus one if its content is escaped.
  private final LongIntMap laid;

  private LogOverlay(BlockDevice device, int blockBytes, long[] places, int most) {
    this.device = device;
    this.blockBytes = blockBytes;
    this.places = places;
    blockShift = Integer.numberOfTrailingZeros(blockBytes);
    laid = new LongIntMap(most);
  }

  /// Scans a log. Rejects a log that would also be rejected by a replay.
  ///
  /// @param places the device blocks of the log in order
  /// @param most the maximum number of distinct blocks
  /// @throws FsException like `Journals.jbd2`, or `ENOMEM` if the log has too many blocks
  public static LogOverlay over(BlockDevice device, int blockBytes, long[] places, int most)
      throws IOException {
    try (LogFile log = LogFile.open(device, blockBytes, places)) {
      LogOverlay overlay = new LogOverlay(device, blockBytes, places.clone(), most);
      LogReplay.run(log, places, overlay);
      return overlay;
    }
  }

  // ---- filled from the log ----------------------------------------------------------------------

  @Override
  public long blocks() {
    return device.lengthBytes() >>> blockShift;
  }

  @Override
  public void take(long number, int index, boolean escaped, MemorySegment content)
      throws FsException {
    if (!laid.put(number, index << 1 | (escaped ? 1 : 0))) {
      throw tooMany("holds");
    }
  }

  @Override
  public void end() {}

  @Override
  public int mostRevoked() {
    return MOST_BLOCKS;
  }

  @Override
  public FsException tooManyRevoked() {
    return tooMany("revokes");
  }

  /// Returns the exception for a log that has too many blocks.
  ///
  /// @param does `holds` or `revokes`
  private static FsException tooMany(String does) {
    return FsException.of(
        Errno.ENOMEM,
        "the log that a crash left "
            + does
            + " more blocks than are kept in memory to read the image without changing it; Fix:"
            + " open it for writing once, or e2fsck -p, which replays the log");
  }

  // ---- read as a device -------------------------------------------------------------------------

  /// Returns the number of blocks that are read from the log.
  public int laid() {
    return laid.size();
  }

  @Override
  public long lengthBytes() {
    return device.lengthBytes();
  }

  @Override
  public int sectorBytes() {
    return device.sectorBytes();
  }

  @Override
  public boolean readOnly() {
    return true;
  }

  @Override
  public void read(long position, Block into, long offset, int bytes) throws IOException {
    Transfers.check(this, position, bytes);
    into.lease();
    try {
      for (int done = 0; done < bytes; ) {
        done += readPart(position + done, into, offset + done, bytes - done);
      }
    } finally {
      into.release();
    }
  }

  /// Reads the first contiguous part of a range, and returns its length.
  private int readPart(long position, Block into, long offset, int most) throws IOException {
    int inBlock = (int) (position & (blockBytes - 1));
    int first = Math.min(most, blockBytes - inBlock);
    int found = laid.getOrDefault(position >>> blockShift, NOTHING);
    if (found == NOTHING) {
      int run = first;
      while (run < most && !laid.contains((position + run) >>> blockShift)) {
        run += Math.min(blockBytes, most - run);
      }
      device.read(position, into, offset, run);
      return run;
    }
    device.read(places[found >>> 1] * blockBytes + inBlock, into, offset, first);
    if ((found & 1) != 0 && inBlock == 0) {
      LogLayout.setInt(into.segment(), offset, LogLayout.MAGIC);
    }
    return first;
  }

  @Override
  public void read(Transfer[] transfers, int count) throws IOException {
    if (touches(transfers, count)) {
      BlockDevice.super.read(transfers, count);
    } else {
      device.read(transfers, count);
    }
  }

  private boolean touches(Transfer[] transfers, int count) {
    for (int i = 0; i < count; i++) {
      long end = transfers[i].position() + transfers[i].bytes();
      for (long at = transfers[i].position() >>> blockShift; at << blockShift < end; at++) {
        if (laid.contains(at)) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public void write(long position, Block from, long offset, int bytes) throws IOException {
    Transfers.checkWrite(this, position, bytes);
  }

  @Override
  public void register(MemorySegment region) {
    device.register(region);
  }

  @Override
  public void flush() {}

  /// Does nothing because the caller retains ownership of the underlying device.
  @Override
  public void close() {}
}
