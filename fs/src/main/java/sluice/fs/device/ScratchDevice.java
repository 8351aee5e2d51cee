package sluice.fs.device;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// A device on top of another device, which is only read. Writes are kept in memory and are
/// discarded when this device is closed. This class is thread-safe.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | written | any thread | under the monitor | under the monitor |
public final class ScratchDevice implements BlockDevice {
  private static final int UNIT = 4096;

  private final BlockDevice below;
  private final int most;
  private final Map<Long, byte[]> written = new HashMap<>();

  /// Creates a scratch device.
  ///
  /// @param mostBytes the maximum amount of memory; a write that would exceed it fails with
  ///   `ENOMEM`
  public ScratchDevice(BlockDevice below, long mostBytes) {
    this.below = below;
    most = (int) Math.min(Integer.MAX_VALUE, mostBytes / UNIT);
  }

  @Override
  public long lengthBytes() {
    return below.lengthBytes();
  }

  @Override
  public int sectorBytes() {
    return below.sectorBytes();
  }

  @Override
  public synchronized void read(long position, Block into, long offset, int bytes)
      throws IOException {
    Transfers.check(this, position, bytes);
    below.read(position, into, offset, bytes);
    into.lease();
    try {
      forEachUnit(
          position,
          bytes,
          (unit, inUnit, done, count) -> {
            byte[] newer = written.get(unit);
            if (newer != null) {
              MemorySegment to = into.segment();
              MemorySegment.copy(newer, inUnit, to, ValueLayout.JAVA_BYTE, offset + done, count);
            }
          });
    } finally {
      into.release();
    }
  }

  @Override
  public synchronized void write(long position, Block from, long offset, int bytes)
      throws IOException {
    Transfers.checkWrite(this, position, bytes);
    from.lease();
    try {
      forEachUnit(
          position,
          bytes,
          (unit, inUnit, done, count) -> {
            byte[] newer = written.get(unit);
            if (newer == null) {
              newer = firstWritten(unit);
            }
            MemorySegment.copy(
                from.segment(), ValueLayout.JAVA_BYTE, offset + done, newer, inUnit, count);
          });
    } finally {
      from.release();
    }
  }

  private byte[] firstWritten(long unit) throws IOException {
    if (written.size() >= most) {
      throw FsException.of(
          Errno.ENOMEM, "more than " + (long) most * UNIT + " bytes are to be kept in memory");
    }
    byte[] content = new byte[UNIT];
    long start = unit * UNIT;
    int bytes = (int) Math.min(UNIT, lengthBytes() - start);
    Block block = Block.allocate(new Account("a unit of a scratch device", UNIT), UNIT);
    if (block == null) {
      throw FsException.of(Errno.ENOMEM, "no memory for a scratch device");
    }
    try {
      below.read(start, block, 0, bytes);
      MemorySegment.copy(block.segment(), ValueLayout.JAVA_BYTE, 0, content, 0, bytes);
    } finally {
      block.release();
    }
    written.put(unit, content);
    return content;
  }

  /// A part of a transfer that lies within one unit.
  private interface Part {
    void at(long unit, int inUnit, int done, int count) throws IOException;
  }

  private static void forEachUnit(long position, int bytes, Part part) throws IOException {
    for (int done = 0; done < bytes; ) {
      long at = position + done;
      int inUnit = (int) (at % UNIT);
      int count = Math.min(UNIT - inUnit, bytes - done);
      part.at(at / UNIT, inUnit, done, count);
      done += count;
    }
  }

  @Override
  public void flush() {}

  /// Discards all writes. The caller retains ownership of the underlying device.
  @Override
  public synchronized void close() {
    written.clear();
  }
}
