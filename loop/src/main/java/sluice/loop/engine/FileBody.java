package sluice.loop.engine;

import java.lang.foreign.MemorySegment;

/// A part of a reply that is a range of a file. The loop owns one reference from
/// [sluice.loop.Output#file] until the range has been sent or the connection is gone.
public interface FileBody {
  /// An open descriptor for `sendfile(2)`, or -1 when there is none (portable file access).
  int fd();

  /// Reads without moving a file position. May block: called on the slow path, or for bytes that
  /// are [#resident].
  ///
  /// @return bytes read, 0 at the end of the file, or a negative errno
  int read(long position, MemorySegment target, long offset, int length);

  /// Whether the pages of the range are in memory, so that sending them cannot wait for a device.
  boolean resident(long position, long length);

  /// Whether the file is still the version the reply began with. Asked after each piece; false
  /// aborts the connection, so that no reply mixes two versions.
  boolean unchanged();

  /// How many bytes at the end of each range are copied to the socket, not sent from the file's
  /// pages.
  ///
  /// `sendfile(2)` copies nothing: until the peer has read them, bytes of a reply are the bytes of
  /// the file, and a write to it changes them after [#unchanged] was asked. Once as many copied
  /// bytes as two sockets can hold have been taken, the peer has read everything before them.
  default long copiedTailBytes() {
    return SocketQueues.MOST_BYTES;
  }

  /// Ends the loop's reference.
  void release();
}
