package sluice.http.files;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.sys.CacheStat;

/// A file that is too large for memory and is sent piece by piece while it is open. It is closed
/// when the last transfer ends, so that a deleted file gives its space back.
///
/// Any thread may call. A new stream has one reference, which belongs to its creator.
///
/// The bytes are sent from the file itself, so a writer can change them during a reply. A sender
/// calls [#stillSame] after each piece, before it sends the next one and before the reply counts as
/// complete, and aborts the connection if the result is false.
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

  /// Returns the descriptor for `sendfile(2)`, or -1 if only [#read] works.
  public int fd() {
    return handle.fd();
  }

  long lengthBytes() {
    return version.sizeBytes;
  }

  /// Reads as [FileHandle#read] does.
  public int read(MemorySegment target, long offset, int length, long position) {
    return handle.read(target, offset, length, position);
  }

  /// Returns the result of [FileHandle#resident].
  public boolean resident(long position, long length, CacheStat scratch) {
    return handle.resident(position, length, scratch);
  }

  /// Returns true if all bytes read so far belong to the version that the header describes. Costs
  /// one `fstat`.
  ///
  /// A changed link count, owner or permission does not count: a file that a rename replaces is
  /// sent to its end in its old version.
  ///
  /// No barrier is needed: a write sets the time before it copies its bytes, so a sender that has
  /// read any of them finds the new time.
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

  /// Adds a reference. The caller must hold one.
  public FileStream retain() {
    int before = references.getAndIncrement();
    if (before <= 0) {
      references.getAndDecrement();
      throw new IllegalStateException("the file was closed already");
    }
    return this;
  }

  /// Drops one reference; the last one closes the file.
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
