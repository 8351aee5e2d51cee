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

/// The answer to one message: a header, a body, and pieces of content that are sent from where they
/// are, or copied where a ring's entry has them. Of the worker that answers.
///
/// A piece that is sent is leased from [#slice] until the answer is sent or begun anew.
final class FuseReply implements SliceSink {
  /// Longest body: the largest extended attribute.
  static final int MAX_BODY_BYTES = 1 << 16;

  /// The body's entry in the vector and as many pieces as still fit.
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

  /// @param block of [#MAX_BODY_BYTES] and a header
  /// @param vectorBlock of [IoVec#LIMIT] entries
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

  /// Makes the body that long, all zeros.
  void body(int bytes) {
    segment.asSlice(FuseLayout.OUT_BYTES, bytes).fill((byte) 0);
    bodyBytes = bytes;
  }

  /// Makes the body longer by zeros.
  ///
  /// @return where they begin
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

  /// Makes the body these bytes.
  ///
  /// @param bytes at most [#MAX_BODY_BYTES]
  void bytes(byte[] bytes) {
    setBytes(0, bytes);
    bodyBytes = bytes.length;
  }

  /// Pieces are not sent but copied, from now on.
  ///
  /// @param to where there is room for the longest content
  /// @param offset where it begins there
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

  /// Whether there were more pieces than one call can send: nothing of it may be sent then.
  boolean overflown() {
    return overflown;
  }

  /// Content that the caller keeps where it is until the answer is sent.
  void content(Block from, long offset, int bytes) {
    drop();
    slice(from, offset, bytes);
  }

  /// Makes it a refusal.
  ///
  /// @param errno positive
  void fail(int errno) {
    drop();
    bodyBytes = 0;
    segment.set(JAVA_INT_UNALIGNED, FuseLayout.OUT_ERROR, -errno);
  }

  /// Sends it with one call.
  ///
  /// @return a negative errno when the kernel did not take it: -ENOENT when no program waits for it
  ///   any more
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

  /// Copies what is no piece where a ring's entry has it: the header by itself, and the body where
  /// pieces would be. No answer has both.
  ///
  /// @param header where the header goes in the memory of [#copyTo]
  /// @return bytes behind the header
  int copyRest(int header) {
    MemorySegment to = Objects.requireNonNull(copies);
    int bytes = bodyBytes + sliceBytes;
    segment.set(JAVA_INT_UNALIGNED, FuseLayout.OUT_LEN, FuseLayout.OUT_BYTES + bytes);
    MemorySegment.copy(segment, 0, to, header, FuseLayout.OUT_BYTES);
    MemorySegment.copy(segment, FuseLayout.OUT_BYTES, to, copiesAt, bodyBytes);
    drop();
    return bytes;
  }

  /// Ends the leases on pieces.
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
