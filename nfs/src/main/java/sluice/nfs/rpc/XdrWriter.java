package sluice.nfs.rpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.fs.SliceSink;
import sluice.loop.Output;
import sluice.loop.datagrams.DatagramOutput;
import sluice.memory.block.Block;

/// Writes the XDR (RFC 4506) of one message from front to end, up to a maximum length. Instances
/// are owned by the thread that processes the call, which is either the loop's thread or a worker.
/// A worker transfers the writer to the loop's thread, which sends the message.
///
/// Small data are copied to an array that is reused for the next message. For a reply of about a
/// hundred bytes, this is cheaper than reserving space in the output of the connection for each
/// number. Large blocks are leased and sent without a copy. The record mark (RFC 5531, section 11)
/// is stored at the beginning of the array, so that it is contiguous with the message that is sent
/// over TCP.
public final class XdrWriter implements SliceSink {
  /// The length of a record mark.
  static final int MARK_BYTES = 4;

  /// The maximum length of a block that is copied instead of being leased.
  private static final int COPY_LIMIT_BYTES = 2048;

  /// The maximum length of an array that is reused for the next message.
  private static final int KEPT_BYTES = 64 << 10;

  private static final int FIRST_BYTES = 1024;
  private static final int LAST_FRAGMENT = 0x8000_0000;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /// A leased part of a message.
  private static final class Piece {
    @Nullable Block block;
    long offset;
    int count;

    /// The number of copied bytes before this part, including the record mark.
    int after;
  }

  private int most;
  private byte[] bytes = new byte[FIRST_BYTES];
  private int copied = MARK_BYTES;
  private Piece[] pieces = new Piece[0];
  private int pieceCount;
  private int leasedBytes;
  private int mayLease = Integer.MAX_VALUE;

  /// Creates a writer.
  ///
  /// @param most the maximum length of a message
  public XdrWriter(int most) {
    this.most = most;
  }

  /// Sets the maximum length of the subsequent messages.
  XdrWriter bound(int bytes) {
    most = bytes;
    return this;
  }

  /// Sets the number of bytes that the subsequent messages may lease. Any additional blocks are
  /// copied.
  void mayLease(int bytes) {
    mayLease = bytes;
  }

  int mayLease() {
    return mayLease;
  }

  /// Returns the number of bytes of the message that are leased.
  public int leasedBytes() {
    return leasedBytes;
  }

  public XdrWriter int32(int value) {
    int at = room(Integer.BYTES); // before the store, because it may replace the array
    INT.set(bytes, at, value);
    return this;
  }

  XdrWriter uint32(long value) {
    return int32((int) value);
  }

  public XdrWriter int64(long value) {
    int at = room(Long.BYTES);
    LONG.set(bytes, at, value);
    return this;
  }

  /// Writes two numbers with a single store.
  public XdrWriter int32s(int first, int second) {
    return int64((long) first << Integer.SIZE | (second & 0xffff_ffffL));
  }

  public XdrWriter bool(boolean value) {
    return int32(value ? 1 : 0);
  }

  /// Writes a variable-length opaque or a `string<>`, which consists of its length, its bytes, and
  /// padding.
  public XdrWriter opaque(byte[] value) {
    return opaque(value, 0, value.length);
  }

  XdrWriter opaque(byte[] value, int from, int count) {
    int32(count);
    return fixed(value, from, count);
  }

  /// Writes a fixed-length opaque, which consists of its bytes and padding.
  public XdrWriter fixed(byte[] value) {
    return fixed(value, 0, value.length);
  }

  public XdrWriter fixed(byte[] value, int from, int count) {
    int padded = XdrReader.padded(count);
    int at = room(padded);
    System.arraycopy(value, from, bytes, at, count);
    Arrays.fill(bytes, at + count, at + padded, (byte) 0);
    return this;
  }

  /// Writes bytes of a block without their length and without padding. A long range is not copied.
  /// Instead, the block is leased until the range has been sent.
  ///
  /// @throws IndexOutOfBoundsException if the range is not within the block, in which case the
  ///   block is not leased
  void block(Block block, long offset, int count) {
    Objects.checkFromIndexSize(offset, count, block.lengthBytes());
    if (count <= COPY_LIMIT_BYTES || count > mayLease - leasedBytes) {
      int at = room(count);
      MemorySegment.copy(block.segment(), ValueLayout.JAVA_BYTE, offset, bytes, at, count);
      return;
    }
    check(count);
    if (pieceCount == pieces.length) {
      int before = pieces.length;
      pieces = Arrays.copyOf(pieces, Math.max(16, 2 * before));
      for (int i = before; i < pieces.length; i++) {
        pieces[i] = new Piece();
      }
    }
    Piece piece = pieces[pieceCount];
    piece.block = block.lease();
    piece.offset = offset;
    piece.count = count;
    piece.after = copied;
    pieceCount++;
    leasedBytes += count;
  }

  /// Writes file data in the same way as [#block]. File systems call this method to add data to a
  /// reply.
  @Override
  public void slice(Block block, long offset, int count) {
    block(block, offset, count);
  }

  /// Writes zeros until the length of the message is a multiple of four bytes.
  public void pad() {
    int missing = -position() & 3;
    int at = room(missing);
    Arrays.fill(bytes, at, at + missing, (byte) 0);
  }

  /// Returns the current length of the message.
  public int position() {
    return copied - MARK_BYTES + leasedBytes;
  }

  /// Returns the number of bytes that can still be written.
  public int remaining() {
    return most - position();
  }

  /// Overwrites four bytes that were written by [#int32].
  ///
  /// @param position the value of [#position] before these bytes were written
  public void patch(int position, int value) {
    int leased = 0;
    int passed = 0;
    while (passed < pieceCount && leased + ends(pieces[passed]) <= position) {
      leased += pieces[passed].count;
      passed++;
    }
    int at = MARK_BYTES + position - leased;
    int upTo = passed < pieceCount ? pieces[passed].after : copied;
    if (position < 0 || at > upTo - Integer.BYTES) {
      throw new IndexOutOfBoundsException("patch at " + position + " of " + position());
    }
    INT.set(bytes, at, value);
  }

  /// Discards all bytes after a position that was returned by [#position].
  public void truncate(int position) {
    if (position < 0 || position > position()) {
      throw new IndexOutOfBoundsException("truncate to " + position + " of " + position());
    }
    while (pieceCount > 0) {
      Piece last = pieces[pieceCount - 1];
      leasedBytes -= last.count;
      int over = leasedBytes + ends(last) - position;
      if (over < last.count) {
        last.count -= Math.max(0, over);
        leasedBytes += last.count;
        copied = over > 0 ? last.after : copied;
        break;
      }
      release(last);
      pieceCount--;
    }
    copied = Math.min(copied, MARK_BYTES + position - leasedBytes);
  }

  // ---- sending --------------------------------------------------------------------------------

  /// Stages the message with its record mark as a single fragment. The ownership of the leases is
  /// transferred to the output, and [#clear] must be called afterwards. This method is called on
  /// the loop's thread.
  void stageRecord(Output output) {
    INT.set(bytes, 0, LAST_FRAGMENT | position());
    int from = 0;
    for (int i = 0; i < pieceCount; i++) {
      Piece piece = pieces[i];
      Block block = piece.block;
      if (block == null) {
        throw new IllegalStateException("a piece of a message has no block");
      }
      if (piece.after > from) {
        output.put(bytes, from, piece.after - from);
        from = piece.after;
      }
      piece.block = null;
      output.give(block, piece.offset, piece.count);
    }
    if (copied > from) {
      output.put(bytes, from, copied - from);
    }
  }

  /// Appends the message without its record mark to a datagram.
  void copyTo(DatagramOutput target) {
    int from = MARK_BYTES;
    for (int i = 0; i <= pieceCount; i++) {
      int upTo = i < pieceCount ? pieces[i].after : copied;
      target.put(bytes, from, upTo - from);
      from = upTo;
      Block block = i < pieceCount ? pieces[i].block : null;
      if (block != null) {
        target.put(block, pieces[i].offset, pieces[i].count);
      }
    }
  }

  /// Returns a copy of the message without its record mark.
  public byte[] toBytes() {
    byte[] copy = new byte[position()];
    MemorySegment target = MemorySegment.ofArray(copy);
    int from = MARK_BYTES;
    int at = 0;
    for (int i = 0; i <= pieceCount; i++) {
      int upTo = i < pieceCount ? pieces[i].after : copied;
      System.arraycopy(bytes, from, copy, at, upTo - from);
      at += upTo - from;
      from = upTo;
      Block block = i < pieceCount ? pieces[i].block : null;
      if (block != null) {
        MemorySegment.copy(block.segment(), pieces[i].offset, target, at, pieces[i].count);
        at += pieces[i].count;
      }
    }
    return copy;
  }

  /// Returns a copy of the bytes after a position that was returned by [#position].
  public byte[] bytesFrom(int position) {
    if (pieceCount > 0) {
      byte[] all = toBytes();
      return Arrays.copyOfRange(all, position, all.length);
    }
    return Arrays.copyOfRange(bytes, MARK_BYTES + position, copied);
  }

  /// Discards the message and releases its leases.
  public void clear() {
    for (int i = 0; i < pieceCount; i++) {
      release(pieces[i]);
    }
    pieceCount = 0;
    leasedBytes = 0;
    copied = MARK_BYTES;
    if (bytes.length > KEPT_BYTES) {
      bytes = new byte[FIRST_BYTES];
    }
  }

  // ---- implementation -------------------------------------------------------------------------

  private static void release(Piece piece) {
    Block block = piece.block;
    if (block != null) {
      piece.block = null;
      block.release();
    }
  }

  /// Returns the end position of a leased part in the message, not including the parts before it.
  private static int ends(Piece piece) {
    return piece.after - MARK_BYTES + piece.count;
  }

  private int room(int count) {
    int at = copied;
    if (count > bytes.length - at) {
      grow(count);
    }
    if (count > most - position()) {
      check(count);
    }
    copied = at + count;
    return at;
  }

  private void grow(int count) {
    check(count);
    long twice = Math.min(2L * bytes.length, (long) most + MARK_BYTES);
    bytes = Arrays.copyOf(bytes, (int) Math.max(twice, copied + (long) count));
  }

  private void check(int count) {
    if (count > remaining()) {
      throw new RpcRefusal(RpcRefusal.SYSTEM_ERROR);
    }
  }
}
