package sluice.fs.fuse;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import sluice.fs.FsException;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// One message from the kernel, in one piece in a worker's memory. Of that worker.
///
/// Nothing in it is believed: every place is checked to be inside what was read.
final class FuseRequest {
  private final MemorySegment segment;

  /// Where the header is, and bytes from there.
  private int start;

  private int length;

  FuseRequest(Block block) {
    segment = block.segment();
  }

  /// Takes what has come.
  ///
  /// @param offset where its header is
  /// @return false when it has no header or names another length: there is nothing to answer
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

  /// The thread that asks, 0 where this process cannot see it.
  int thread() {
    return header(FuseLayout.IN_PID);
  }

  /// Bytes behind the header.
  int bodyBytes() {
    return length - FuseLayout.IN_BYTES;
  }

  /// Where the body is in the worker's memory.
  int bodyOffset() {
    return start + FuseLayout.IN_BYTES;
  }

  /// @throws FsException `EINVAL` unless the body has so many bytes
  void require(int bytes) throws FsException {
    if (bytes < 0 || bodyBytes() < bytes) {
      throw FsException.of(
          Errno.EINVAL, "a FUSE message with " + bodyBytes() + " bytes instead of " + bytes);
    }
  }

  /// Four bytes of the body, which [#require] has checked.
  int intAt(int offset) {
    return header(FuseLayout.IN_BYTES + offset);
  }

  /// Eight bytes of the body, which [#require] has checked.
  long longAt(int offset) {
    return segment.get(JAVA_LONG_UNALIGNED, (long) bodyOffset() + offset);
  }

  /// A name, without the NUL that ends it.
  ///
  /// @throws FsException `EINVAL` when nothing ends it
  byte[] name(int offset) throws FsException {
    require(offset);
    int first = bodyOffset() + offset;
    int end = first;
    while (end < start + length && segment.get(JAVA_BYTE, end) != 0) {
      end++;
    }
    if (end == start + length) {
      throw FsException.of(Errno.EINVAL, "a name in a FUSE message without an end");
    }
    return bytes(offset, end - first);
  }

  /// Bytes of the body.
  byte[] bytes(int offset, int count) throws FsException {
    require(offset);
    if (count < 0 || count > bodyBytes() - offset) {
      throw FsException.of(Errno.EINVAL, "a FUSE message that names more bytes than it has");
    }
    byte[] copy = new byte[count];
    MemorySegment.copy(segment, JAVA_BYTE, (long) bodyOffset() + offset, copy, 0, count);
    return copy;
  }
}
