package sluice.fs.device;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.sys.Mapping;

/// A device that is stored in memory. Pages are allocated when they are first written. It may be
/// used by several threads at the same time.
public final class MemoryDevice implements BlockDevice {
  private static final int SECTOR_BYTES = 512;

  private final Mapping mapping;
  private final MemorySegment bytes;

  private MemoryDevice(Mapping mapping) {
    this.mapping = mapping;
    bytes = mapping.segment();
  }

  public static MemoryDevice create(long bytes) throws IOException {
    if (bytes < SECTOR_BYTES || bytes % SECTOR_BYTES != 0) {
      throw new IllegalArgumentException(
          "a device in memory is a multiple of 512 bytes, not " + bytes);
    }
    return new MemoryDevice(Mapping.anonymous(bytes, false));
  }

  @Override
  public long lengthBytes() {
    return bytes.byteSize();
  }

  @Override
  public void read(long position, Block into, long offset, int count) throws IOException {
    Transfers.check(this, position, count);
    into.lease();
    try {
      MemorySegment.copy(bytes, position, into.segment(), offset, count);
    } catch (IllegalStateException closed) {
      throw closed();
    } finally {
      into.release();
    }
  }

  @Override
  public void write(long position, Block from, long offset, int count) throws IOException {
    Transfers.checkWrite(this, position, count);
    from.lease();
    try {
      MemorySegment.copy(from.segment(), offset, bytes, position, count);
    } catch (IllegalStateException closed) {
      throw closed();
    } finally {
      from.release();
    }
  }

  @Override
  public void flush() throws IOException {
    if (!bytes.scope().isAlive()) {
      throw closed();
    }
  }

  @Override
  public void close() {
    mapping.close();
  }

  private static FsException closed() {
    return FsException.of(Errno.EBADF, "the device is closed");
  }
}
