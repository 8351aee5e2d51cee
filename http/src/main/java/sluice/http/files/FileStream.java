package sluice.http.files;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.sys.CacheStat;

/// A file that is too large for memory and is therefore sent in segments from the open file. It is
/// closed when the last transfer completes, so that the space of a deleted file is released.
///
/// Any thread may call it. A new stream has one reference, which is owned by its creator.
///
/// Since the bytes are sent from the file itself, a writer can change them during a reply. A sender
/// must therefore call [#stillSame] after each segment, before it sends the next segment or
/// considers the reply complete, and abort the connection if the result is false.
public final class FileStream {
  private final FileHandle handle;
  private final FileStatus version;
  private final AtomicInteger references = new AtomicInteger(1);

  /// @param version the state of the file that the reply's header describes, which is copied
  FileStream(FileHandle handle, FileStatus version) {
    this.handle = handle;
    this.version = new FileStatus();
    this.version.copyFrom(version);
  }

  /// Returns the descriptor for `sendfile(2)`, or -1 if only [#read] can be used.
  public int fd() {
    return handle.fd();
  }

  long lengthBytes() {
    return version.sizeBytes;
  }

  /// Reads bytes as [FileHandle#read] does.
  public int read(MemorySegment target, long offset, int length, long position) {
    return handle.read(target, offset, length, position);
  }

  /// Returns the result of [FileHandle#resident].
  public boolean resident(long position, long length, CacheStat scratch) {
    return handle.resident(position, length, scratch);
  }

  /// Returns true if all bytes read so far belong to the version that the header describes. This
  /// method performs one `fstat`.
  ///
  /// Changes of the link count, owner or permissions are ignored, so if a file is replaced by a
  /// rename, its old version is still sent completely.
  ///
  /// No barrier is required because a write sets the time before it copies its bytes. If a sender
  /// has read any of them, it therefore observes the new time.
  ///
  /// @param scratch an object whose contents are overwritten
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

  /// Acquires another reference. The caller must already hold one.
  public FileStream retain() {
    int before = references.getAndIncrement();
    if (before <= 0) {
      references.getAndDecrement();
      throw new IllegalStateException("the file was closed already");
    }
    return this;
  }

  /// Releases a reference. The file is closed when the last reference is released.
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
