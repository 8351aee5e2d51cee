package sluice.loop.engine;

import java.lang.foreign.MemorySegment;

/// A range of a file that is part of a reply. The loop owns one reference from
/// [sluice.loop.Output#file] until the range has been sent or the connection is gone.
public interface FileBody {
  /// Returns an open descriptor for `sendfile(2)`, or -1 if there is none (portable file access).
  int fd();

  /// Reads without moving a file position. May block: called on the slow path, or for bytes that
  /// are [#resident].
  ///
  /// @return the number of bytes read, 0 at the end of the file, or a negative errno
  int read(long position, MemorySegment target, long offset, int length);

  /// Returns true if the pages of the range are in memory, so that sending them cannot wait for a
  /// device.
  boolean resident(long position, long length);

  /// Returns true if the file is still the version the reply began with. Called after each piece;
  /// false aborts the connection, so that no reply mixes two versions.
  boolean unchanged();

  /// Returns how many bytes at the end of each range are copied to the socket instead of sent from
  /// the file's pages.
  ///
  /// `sendfile(2)` copies nothing: until the peer has read them, the bytes of a reply are the bytes
  /// of the file, and a write to the file changes them after [#unchanged] was called. Once the
  /// sockets have taken as many copied bytes as two of them can hold, the peer has read everything
  /// before them.
  default long copiedTailBytes() {
    return SocketQueues.MOST_BYTES;
  }

  /// Releases the loop's reference.
  void release();
}
