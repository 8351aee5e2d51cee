package sluice.fs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import sluice.memory.Block;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SysException;

/// An image file or block device by `pread(2)`, `pwrite(2)` and `fdatasync(2)`. Any thread may
/// call, several at a time; they share a lock that only [#close] takes alone, so that nobody uses a
/// number that means another file by now.
final class FileDevice implements BlockDevice {
  private static final int SECTOR_BYTES = 512;

  private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();
  private final ImageFile file;
  private boolean closed;

  private FileDevice(ImageFile file) {
    this.file = file;
  }

  static FileDevice open(Path path, boolean readOnly) throws IOException {
    return new FileDevice(ImageFile.open(path, readOnly, 0));
  }

  @Override
  public long lengthBytes() {
    return file.lengthBytes() / SECTOR_BYTES * SECTOR_BYTES;
  }

  @Override
  public boolean readOnly() {
    return file.readOnly();
  }

  @Override
  public void read(long position, Block into, long offset, int bytes) throws IOException {
    Transfers.check(this, position, bytes);
    into.lease();
    use.readLock().lock();
    try {
      int fd = fd();
      for (int done = 0; done < bytes; ) {
        int n = Files.pread(fd, into.segment(), offset + done, bytes - done, position + done);
        if (n == 0) {
          throw FsException.of(
              Errno.EIO, file + " has become shorter: nothing at " + (position + done));
        }
        done += advance(n, "pread", bytes - done, position + done);
      }
    } finally {
      use.readLock().unlock();
      into.release();
    }
  }

  @Override
  public void write(long position, Block from, long offset, int bytes) throws IOException {
    Transfers.checkWrite(this, position, bytes);
    from.lease();
    use.readLock().lock();
    try {
      int fd = fd();
      for (int done = 0; done < bytes; ) {
        int n = Files.pwrite(fd, from.segment(), offset + done, bytes - done, position + done);
        if (n == 0) {
          throw FsException.of(Errno.EIO, file + " takes no bytes at " + (position + done));
        }
        done += advance(n, "pwrite", bytes - done, position + done);
      }
    } finally {
      use.readLock().unlock();
      from.release();
    }
  }

  private int advance(int result, String call, int bytes, long position) throws SysException {
    if (result == -Errno.EINTR) {
      return 0;
    }
    return (int) SysException.check(result, call, file, bytes, position);
  }

  @Override
  public void flush() throws IOException {
    use.readLock().lock();
    try {
      SysException.check(Files.fdatasync(fd()), "fdatasync", file);
    } finally {
      use.readLock().unlock();
    }
  }

  private int fd() throws FsException {
    if (closed) {
      throw FsException.of(Errno.EBADF, file + " is closed");
    }
    return file.fd();
  }

  @Override
  public void close() {
    use.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        file.close();
      }
    } finally {
      use.writeLock().unlock();
    }
  }
}
