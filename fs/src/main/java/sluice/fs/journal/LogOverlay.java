package sluice.fs.journal;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.device.Transfers;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// A view of a device as it is after a replay of its log, for mounts that write nothing. Any thread
/// may read once [#over] has returned.
///
/// The content of logged blocks is not kept in memory, but read from the log. Their locations are
/// kept, in at most 48 bytes per block for at most [#MOST_BLOCKS] blocks. While the log is scanned,
/// revoked blocks take as much again. Together this is at most 100 MB, and in common logs far below
/// 1 MB.
public final class LogOverlay implements BlockDevice, LogTarget {
  /// The maximum number of distinct blocks in a log, and of blocks it revokes. A log of 4 GB with
  /// blocks of 4 KB has no more.
  public static final int MOST_BLOCKS = 1 << 20;

  private static final int NOTHING = -1;

  private final BlockDevice device;
  private final int blockBytes;
  private final int blockShift;
  private final long[] places;

  /// The location in the log of each block, times two, plus one if its content is escaped there.
  private final LongIntMap laid;

  private LogOverlay(BlockDevice device, int blockBytes, long[] places, int most) {
    this.device = device;
    this.blockBytes = blockBytes;
    this.places = places;
    blockShift = Integer.numberOfTrailingZeros(blockBytes);
    laid = new LongIntMap(most);
  }

  /// Scans a log. Rejects a log that a replay would reject.
  ///
  /// @param places the device blocks of the log, in order
  /// @param most the maximum number of distinct blocks
  /// @throws FsException as `Journals.jbd2`; `ENOMEM` if the log has too many blocks
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

  /// Returns the error for a log with too many blocks.
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

  /// Reads a contiguous part of a range, and returns its length.
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

  /// Does nothing: the caller keeps the device below.
  @Override
  public void close() {}
}
