package sluice.fs.device;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.IoVec;
import sluice.sys.SysException;

/// A device that accesses an image file or a block device with `pread(2)`, `pwritev(2)` and
/// `fdatasync(2)`. It may be used by several threads at the same time. All operations share a lock
/// that only [#close] acquires exclusively, so that no thread uses a descriptor number that already
/// refers to another file.
public final class FileDevice implements BlockDevice {
  private static final int SECTOR_BYTES = 512;

  /// The maximum number of transfers in one `pwritev(2)`. The number of bytes is limited by
  /// [#MOST_BYTES].
  private static final int MOST_AT_ONCE = 256;

  private static final int MOST_BYTES = 64 << 20;

  private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();
  private final ImageFile file;
  private boolean closed;

  private FileDevice(ImageFile file) {
    this.file = file;
  }

  public static FileDevice open(Path path, boolean readOnly) throws IOException {
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
      write(fd(), position, from, offset, bytes);
    } finally {
      use.readLock().unlock();
      from.release();
    }
  }

  private void write(int fd, long position, Block from, long offset, int bytes) throws IOException {
    for (int done = 0; done < bytes; ) {
      int n = Files.pwrite(fd, from.segment(), offset + done, bytes - done, position + done);
      done += written(n, "pwrite", bytes - done, position + done);
    }
  }

  /// Performs all of the given transfers. Contiguous transfers are written with a single system
  /// call.
  @Override
  public void write(Transfer[] transfers, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Transfers.checkWrite(this, transfers[i].position(), transfers[i].bytes());
    }
    int leased = 0;
    use.readLock().lock();
    try (Arena arena = Arena.ofConfined()) {
      int fd = fd();
      for (; leased < count; leased++) {
        transfers[leased].block().lease();
      }
      int most = Math.min(count, MOST_AT_ONCE);
      MemorySegment vector = arena.allocate((long) most * IoVec.SIZE, Long.BYTES);
      for (int from = 0; from < count; ) {
        from = writeRun(fd, vector, transfers, from, Math.min(count, from + most));
      }
    } finally {
      use.readLock().unlock();
      for (int i = 0; i < leased; i++) {
        transfers[i].block().release();
      }
    }
  }

  /// Writes a run of contiguous transfers.
  ///
  /// @return the index of the next transfer to write
  private int writeRun(int fd, MemorySegment vector, Transfer[] transfers, int first, int end)
      throws IOException {
    long start = transfers[first].position();
    long bytes = 0;
    int entries = 0;
    int next = first;
    while (next < end && transfers[next].position() == start + bytes && bytes < MOST_BYTES) {
      Transfer t = transfers[next];
      entries = IoVec.add(vector, 0, entries, t.block().segment(), t.offset(), t.bytes());
      bytes += t.bytes();
      next++;
    }
    long done = 0;
    if (next - first > 1) {
      int n = Files.pwritev(fd, vector, entries, start);
      done = written(n, "pwritev", (int) bytes, start);
    }
    for (int i = first; i < next && done < bytes; i++) { // the rest of a short write
      Transfer t = transfers[i];
      int had = (int) Math.min(t.bytes(), Math.max(0, done - (t.position() - start)));
      write(fd, t.position() + had, t.block(), t.offset() + had, t.bytes() - had);
    }
    return next;
  }

  private int written(int result, String call, int bytes, long position) throws IOException {
    if (result == 0 && bytes > 0) {
      throw FsException.of(Errno.EIO, file + " takes no bytes at " + position);
    }
    return advance(result, call, bytes, position);
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

  public void serve() throws IOException {
    use.readLock().lock();
    try {
      ImageFile.serve(fd(), file.path());
    } finally {
      use.readLock().unlock();
    }
  }

  /// Attaches a loop device from which the image can be mounted.
  ///
  /// @throws IOException if no loop device is available
  public LoopAttachment attach() throws IOException {
    use.readLock().lock();
    try {
      return LoopAttachment.over(fd(), file.readOnly());
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
