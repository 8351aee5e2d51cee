package sluice.loop.engine;

import java.lang.foreign.MemorySegment;

/// A range of a file that is part of a reply. The loop owns one reference from
/// [sluice.loop.Output#file] until the range has been sent or the connection has been closed.
public interface FileBody {
  /// Returns an open descriptor for `sendfile(2)`, or -1 if there is none (portable file access).
  int fd();

  /// Reads without moving a file position. May block, because it is called on the slow path or for
  /// bytes that are [#resident].
  ///
  /// @return the number of bytes read, or 0 at the end of the file, or a negative errno
  int read(long position, MemorySegment target, long offset, int length);

  /// Returns true if the pages of the range are in memory, so that sending them does not wait for a
  /// device.
  boolean resident(long position, long length);

  /// Returns true if the file is still the version with which the reply began. Called after each
  /// chunk; a result of false aborts the connection, so that no reply mixes two versions.
  boolean unchanged();

  /// Returns the number of bytes at the end of each range that are copied to the socket instead of
  /// being sent from the file's pages.
  ///
  /// `sendfile(2)` does not copy the bytes. Until the peer has read them, a write to the file
  /// changes the bytes of the reply, even after [#unchanged] was called. Once the sockets have
  /// accepted as many copied bytes as two of them can hold, the peer has read all preceding bytes.
  default long copiedTailBytes() {
    return SocketQueues.MOST_BYTES;
  }

  /// Releases the loop's reference.
  void release();
}
