package sluice.fs.device;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.function.Consumer;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Mapping;
import sluice.sys.SysException;

/// A device that accesses an image file or a block device without the kernel's page cache, using
/// `O_DIRECT` and io_uring with many concurrent transfers. This class is thread-safe. Each call
/// borrows one of a small number of rings until all of its transfers have completed.
///
/// Registered memory is pinned once instead of for each transfer.
public final class UringDevice implements BlockDevice {
  private static final int RINGS = 2;

  private final ImageFile file;
  private final int sectorBytes;
  private final UringLane[] lanes;
  private final Consumer<String> notice;
  private volatile boolean closed;

  private UringDevice(ImageFile file, int sectorBytes, UringLane[] lanes, Consumer<String> notice) {
    this.file = file;
    this.sectorBytes = sectorBytes;
    this.lanes = lanes;
    this.notice = notice;
  }

  /// Opens a device.
  ///
  /// @param notice receives the reason if a slower method has to be used
  public static BlockDevice open(Path path, boolean readOnly, Consumer<String> notice)
      throws IOException {
    ImageFile file;
    try {
      file = ImageFile.open(path, readOnly, Files.O_DIRECT);
    } catch (SysException refused) {
      if (refused.errno() != Errno.EINVAL) {
        throw refused;
      }
      notice.accept(path + ": the file system has no direct I/O; the page cache is used");
      return FileDevice.open(path, readOnly);
    }
    UringLane[] lanes = new UringLane[RINGS];
    try {
      int sector = sectorOf(file);
      for (int i = 0; i < RINGS; i++) {
        lanes[i] = UringLane.open(file.fd(), sector);
      }
      return new UringDevice(file, sector, lanes, notice);
    } catch (IOException noRing) {
      for (UringLane lane : lanes) {
        if (lane != null) {
          lane.close();
        }
      }
      file.close();
      notice.accept(path + ": no io_uring, pread and pwrite are used: " + noRing.getMessage());
      return FileDevice.open(path, readOnly);
    }
  }

  /// Returns the unit of direct transfers of the file system, which is determined by trying.
  private static int sectorOf(ImageFile file) throws IOException {
    try (Mapping page = Mapping.anonymous(8192, false)) {
      for (int sector = file.sectorBytes(); sector <= 4096; sector *= 2) {
        if (file.lengthBytes() < 2L * sector) {
          break;
        }
        int result = Files.pread(file.fd(), page.segment(), sector, sector, sector);
        if (result != -Errno.EINVAL) {
          SysException.check(result, "pread", file, "O_DIRECT", sector);
          return sector;
        }
      }
    }
    throw FsException.of(Errno.EINVAL, file + " is too small for direct I/O");
  }

  @Override
  public long lengthBytes() {
    return file.lengthBytes() / sectorBytes * sectorBytes;
  }

  @Override
  public int sectorBytes() {
    return sectorBytes;
  }

  @Override
  public boolean readOnly() {
    return file.readOnly();
  }

  @Override
  public void register(MemorySegment region) {
    for (UringLane lane : lanes) {
      try {
        lane.register(region);
      } catch (IOException refused) {
        notice.accept(
            file
                + ": memory of "
                + region.byteSize()
                + " bytes is not registered, each transfer pins its own: "
                + refused.getMessage());
        return;
      }
    }
  }

  @Override
  public void read(long position, Block into, long offset, int bytes) throws IOException {
    run(new Transfer[] {new Transfer(position, into, offset, bytes)}, 1, false);
  }

  @Override
  public void read(Transfer[] transfers, int count) throws IOException {
    run(transfers, count, false);
  }

  @Override
  public void write(long position, Block from, long offset, int bytes) throws IOException {
    run(new Transfer[] {new Transfer(position, from, offset, bytes)}, 1, true);
  }

  @Override
  public void write(Transfer[] transfers, int count) throws IOException {
    run(transfers, count, true);
  }

  private void run(Transfer[] transfers, int count, boolean write) throws IOException {
    for (int i = 0; i < count; i++) {
      Transfer t = transfers[i];
      if (write) {
        Transfers.checkWrite(this, t.position(), t.bytes());
      } else {
        Transfers.check(this, t.position(), t.bytes());
      }
      java.util.Objects.checkFromIndexSize(t.offset(), t.bytes(), t.block().lengthBytes());
    }
    int leased = 0;
    UringLane lane = borrow();
    try {
      checkOpen();
      for (; leased < count; leased++) {
        transfers[leased].block().lease();
      }
      lane.run(transfers, count, write);
    } finally {
      lane.lock.unlock();
      for (int i = 0; i < leased; i++) {
        transfers[i].block().release();
      }
    }
  }

  private UringLane borrow() {
    for (UringLane lane : lanes) {
      if (lane.lock.tryLock()) {
        return lane;
      }
    }
    UringLane lane = lanes[(int) Thread.currentThread().threadId() & (RINGS - 1)];
    lane.lock.lock();
    return lane;
  }

  @Override
  public void flush() throws IOException {
    UringLane lane = borrow(); // so that close waits for this call
    try {
      checkOpen();
      SysException.check(Files.fdatasync(file.fd()), "fdatasync", file);
    } finally {
      lane.lock.unlock();
    }
  }

  private void checkOpen() throws FsException {
    if (closed) {
      throw FsException.of(Errno.EBADF, file + " is closed");
    }
  }

  @Override
  public void close() {
    for (UringLane lane : lanes) {
      lane.lock.lock();
    }
    try {
      if (!closed) {
        closed = true;
        for (UringLane lane : lanes) {
          lane.close();
        }
        file.close();
      }
    } finally {
      for (UringLane lane : lanes) {
        lane.lock.unlock();
      }
    }
  }
}
