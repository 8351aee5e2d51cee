package sluice.http.files;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.sys.CacheStat;

/// A file that is too large for memory, open to be sent piece by piece; closed when the last
/// transfer ends, so that a deleted file gives its space back.
///
/// Any thread may call. It begins with one reference, its maker's.
///
/// The bytes are sent from the file itself, so a writer can change them in mid-reply. A sender asks
/// [#stillSame] after each piece, before the next one and before the reply counts as complete, and
/// aborts the connection when the answer is no.
public final class FileStream {
  private final FileHandle handle;
  private final FileStatus version;
  private final AtomicInteger references = new AtomicInteger(1);

  /// @param version the state of the file that the reply's header describes; copied
  FileStream(FileHandle handle, FileStatus version) {
    this.handle = handle;
    this.version = new FileStatus();
    this.version.copyFrom(version);
  }

  /// The descriptor for `sendfile(2)`, or -1: then only [#read] works.
  public int fd() {
    return handle.fd();
  }

  long lengthBytes() {
    return version.sizeBytes;
  }

  /// As [FileHandle#read].
  public int read(MemorySegment target, long offset, int length, long position) {
    return handle.read(target, offset, length, position);
  }

  /// As [FileHandle#resident].
  public boolean resident(long position, long length, CacheStat scratch) {
    return handle.resident(position, length, scratch);
  }

  /// Whether all bytes read so far are of the version the header describes: one `fstat`.
  ///
  /// That a link was added or removed, or permissions changed, does not count: a file that is
  /// replaced by a rename goes on being sent as it was.
  ///
  /// No barrier is needed: a write sets the time before it copies its bytes, so a reader of one of
  /// them finds the new time.
  ///
  /// @param scratch overwritten
  public boolean stillSame(FileStatus scratch) {
    if (handle.status(scratch) != 0) {
      return false;
    }
    synchronized (version) {
      if (version.sameState(scratch)) {
        return true;
      }
      if (!version.sameContent(scratch) || !version.differsInAttributes(scratch)) {
        return false;
      }
      version.copyFrom(scratch);
      return true;
    }
  }

  /// One more reference. Only a holder may.
  public FileStream retain() {
    int before = references.getAndIncrement();
    if (before <= 0) {
      references.getAndDecrement();
      throw new IllegalStateException("the file was closed already");
    }
    return this;
  }

  /// Ends one reference; the last one closes the file.
  public void release() {
    int left = references.decrementAndGet();
    if (left == 0) {
      handle.close();
    } else if (left < 0) {
      references.incrementAndGet();
      throw new IllegalStateException("the file was closed already");
    }
  }
}
