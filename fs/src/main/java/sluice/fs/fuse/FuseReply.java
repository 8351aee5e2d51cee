package sluice.fs.fuse;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.fs.SliceSink;
import sluice.memory.block.Block;
import sluice.sys.Files;
import sluice.sys.IoVec;

/// The reply to a message, which consists of a header, a body, and slices of content. On
/// `/dev/fuse` the slices are sent without copying them, and on a ring they are copied to the
/// ring's entry. Instances are confined to the worker that replies.
///
/// A slice is leased from the call of [#slice] until the reply has been sent or a new reply is
/// begun.
final class FuseReply implements SliceSink {
  /// The longest body: the largest extended attribute.
  static final int MAX_BODY_BYTES = 1 << 16;

  /// The number of slices that fit into the vector, besides the body's entry.
  static final int MAX_SLICES = IoVec.LIMIT - 1;

  private final Block block;
  private final Block vectorBlock;
  private final MemorySegment segment;
  private final MemorySegment vector;
  private final @Nullable Block[] leased = new Block[MAX_SLICES];
  private @Nullable MemorySegment copies;
  private int copiesAt;
  private int slices;
  private int sliceBytes;
  private int bodyBytes;
  private boolean overflown;

  /// Creates a reply.
  ///
  /// @param block memory of [#MAX_BODY_BYTES] and a header
  /// @param vectorBlock memory of [IoVec#LIMIT] entries
  FuseReply(Block block, Block vectorBlock) {
    this.block = block;
    this.vectorBlock = vectorBlock;
    segment = block.segment();
    vector = vectorBlock.segment();
  }

  void begin(long unique) {
    drop();
    bodyBytes = 0;
    segment.set(JAVA_INT_UNALIGNED, FuseLayout.OUT_ERROR, 0);
    segment.set(JAVA_LONG_UNALIGNED, FuseLayout.OUT_UNIQUE, unique);
  }

  /// Sets the length of the body and fills it with zeros.
  void body(int bytes) {
    segment.asSlice(FuseLayout.OUT_BYTES, bytes).fill((byte) 0);
    bodyBytes = bytes;
  }

  /// Extends the body by zeros.
  ///
  /// @return the offset of the extension
  int append(int bytes) {
    int at = bodyBytes;
    segment.asSlice(FuseLayout.OUT_BYTES + (long) at, bytes).fill((byte) 0);
    bodyBytes = at + bytes;
    return at;
  }

  int bodyBytes() {
    return bodyBytes;
  }

  void setShort(int at, int value) {
    segment.set(JAVA_SHORT_UNALIGNED, FuseLayout.OUT_BYTES + at, (short) value);
  }

  void setInt(int at, int value) {
    segment.set(JAVA_INT_UNALIGNED, FuseLayout.OUT_BYTES + at, value);
  }

  void setLong(int at, long value) {
    segment.set(JAVA_LONG_UNALIGNED, FuseLayout.OUT_BYTES + at, value);
  }

  int intAt(int at) {
    return segment.get(JAVA_INT_UNALIGNED, FuseLayout.OUT_BYTES + at);
  }

  long longAt(int at) {
    return segment.get(JAVA_LONG_UNALIGNED, FuseLayout.OUT_BYTES + at);
  }

  void setBytes(int at, byte[] bytes) {
    MemorySegment.copy(bytes, 0, segment, JAVA_BYTE, FuseLayout.OUT_BYTES + at, bytes.length);
  }

  /// Sets the body.
  ///
  /// @param bytes at most [#MAX_BODY_BYTES]
  void bytes(byte[] bytes) {
    setBytes(0, bytes);
    bodyBytes = bytes.length;
  }

  /// Causes slices to be copied instead of sent from now on.
  ///
  /// @param to memory that is large enough for the longest content
  /// @param offset the offset of the content in this memory
  void copyTo(MemorySegment to, int offset) {
    copies = to;
    copiesAt = offset;
  }

  @Override
  public void slice(Block from, long offset, int bytes) {
    MemorySegment to = copies;
    if (to != null) {
      MemorySegment.copy(from.segment(), offset, to, copiesAt + (long) sliceBytes, bytes);
      sliceBytes += bytes;
      return;
    }
    if (slices == MAX_SLICES) {
      overflown = true;
      return;
    }
    leased[slices] = from.lease();
    slices++;
    sliceBytes += bytes;
    IoVec.set(vector, 0, slices, from.segment(), offset, bytes);
  }

  /// Returns true if there were more slices than can be sent by a single system call, in which case
  /// the reply must not be sent.
  boolean overflown() {
    return overflown;
  }

  /// Sets content that the caller keeps unchanged until the reply has been sent.
  void content(Block from, long offset, int bytes) {
    drop();
    slice(from, offset, bytes);
  }

  /// Replaces the reply by an error.
  ///
  /// @param errno the error number, which is positive
  void fail(int errno) {
    drop();
    bodyBytes = 0;
    segment.set(JAVA_INT_UNALIGNED, FuseLayout.OUT_ERROR, -errno);
  }

  /// Sends the reply with a single system call.
  ///
  /// @return a negative errno if the kernel did not accept the reply, for example -ENOENT if no
  ///   program is waiting for it any more
  int send(int fd) {
    int first = FuseLayout.OUT_BYTES + bodyBytes;
    segment.set(JAVA_INT_UNALIGNED, FuseLayout.OUT_LEN, first + sliceBytes);
    int result;
    if (slices == 0) {
      result = Files.write(fd, segment, 0, first);
    } else {
      IoVec.set(vector, 0, 0, segment, 0, first);
      result = Files.writev(fd, vector, slices + 1);
    }
    drop();
    return result;
  }

  /// Copies the header and the body to the ring's entry. The body is copied to the location of
  /// slices because no reply has both.
  ///
  /// @param header the offset of the header in the memory that was passed to [#copyTo]
  /// @return the number of bytes after the header
  int copyRest(int header) {
    MemorySegment to = Objects.requireNonNull(copies);
    int bytes = bodyBytes + sliceBytes;
    segment.set(JAVA_INT_UNALIGNED, FuseLayout.OUT_LEN, FuseLayout.OUT_BYTES + bytes);
    MemorySegment.copy(segment, 0, to, header, FuseLayout.OUT_BYTES);
    MemorySegment.copy(segment, FuseLayout.OUT_BYTES, to, copiesAt, bodyBytes);
    drop();
    return bytes;
  }

  /// Releases the leases of the slices.
  void drop() {
    for (int i = 0; i < slices; i++) {
      Block held = leased[i];
      if (held != null) {
        held.release();
      }
    }
    Arrays.fill(leased, 0, slices, null);
    slices = 0;
    sliceBytes = 0;
    overflown = false;
  }

  void close() {
    drop();
    block.release();
    vectorBlock.release();
  }
}
