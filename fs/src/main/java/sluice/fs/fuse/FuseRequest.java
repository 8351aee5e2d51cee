package sluice.fs.fuse;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import sluice.fs.FsException;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// A message from the kernel that is contiguous in the memory of a worker. Instances are confined
/// to that worker.
///
/// The content of the message is not trusted, so every access is checked against its length.
final class FuseRequest {
  private final MemorySegment segment;

  /// The offset of the header; [#length] is the number of bytes from there.
  private int start;

  private int length;

  FuseRequest(Block block) {
    segment = block.segment();
  }

  /// Sets the message.
  ///
  /// @param offset the offset of the header
  /// @return false if the message has no header or its header contains a different length, in which
  ///   case it cannot be answered
  boolean accept(int offset, int bytes) {
    start = offset;
    length = bytes;
    return bytes >= FuseLayout.IN_BYTES && header(FuseLayout.IN_LEN) == bytes;
  }

  private int header(int offset) {
    return segment.get(JAVA_INT_UNALIGNED, (long) start + offset);
  }

  int opcode() {
    return header(FuseLayout.IN_OPCODE);
  }

  long unique() {
    return segment.get(JAVA_LONG_UNALIGNED, (long) start + FuseLayout.IN_UNIQUE);
  }

  long node() {
    return segment.get(JAVA_LONG_UNALIGNED, (long) start + FuseLayout.IN_NODEID);
  }

  int uid() {
    return header(FuseLayout.IN_UID);
  }

  int gid() {
    return header(FuseLayout.IN_GID);
  }

  /// Returns the id of the calling thread, or 0 if it is not visible to this process.
  int thread() {
    return header(FuseLayout.IN_PID);
  }

  /// Returns the number of bytes behind the header.
  int bodyBytes() {
    return length - FuseLayout.IN_BYTES;
  }

  /// Returns the offset of the body in the worker's memory.
  int bodyOffset() {
    return start + FuseLayout.IN_BYTES;
  }

  /// Checks that the body has at least the given number of bytes.
  ///
  /// @throws FsException `EINVAL` if it is shorter
  void require(int bytes) throws FsException {
    if (bytes < 0 || bodyBytes() < bytes) {
      throw FsException.of(
          Errno.EINVAL, "a FUSE message with " + bodyBytes() + " bytes instead of " + bytes);
    }
  }

  /// Returns four bytes of the body. The range must have been checked by [#require].
  int intAt(int offset) {
    return header(FuseLayout.IN_BYTES + offset);
  }

  /// Returns eight bytes of the body. The range must have been checked by [#require].
  long longAt(int offset) {
    return segment.get(JAVA_LONG_UNALIGNED, (long) bodyOffset() + offset);
  }

  /// Returns a name without its terminating NUL.
  ///
  /// @throws FsException `EINVAL` if it is not terminated
  byte[] name(int offset) throws FsException {
    require(offset);
    int first = bodyOffset() + offset;
    int end = first;
    while (end < start + length && segment.get(JAVA_BYTE, end) != 0) {
      end++;
    }
    if (end == start + length) {
      throw FsException.of(Errno.EINVAL, "an unterminated name in a FUSE message");
    }
    return bytes(offset, end - first);
  }

  /// Returns a copy of bytes of the body.
  byte[] bytes(int offset, int count) throws FsException {
    require(offset);
    if (count < 0 || count > bodyBytes() - offset) {
      throw FsException.of(
          Errno.EINVAL, "a FUSE message that declares more bytes than it contains");
    }
    byte[] copy = new byte[count];
    MemorySegment.copy(segment, JAVA_BYTE, (long) bodyOffset() + offset, copy, 0, count);
    return copy;
  }
}
