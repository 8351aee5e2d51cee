package sluice.loop.datagrams;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;
import sluice.memory.View;
import sluice.memory.block.Block;

/// Builds one datagram in the memory from which it is sent. Owned by the loop's thread. Valid until
/// the datagram is sent or another one is started on the same port.
///
/// A call that would make the datagram longer than [Datagrams#MOST_BYTES] throws an
/// [IndexOutOfBoundsException]. The bytes added before are preserved.
public final class DatagramOutput {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final DatagramStage port;
  private final Block block;
  private long start;
  private int length = -1;

  DatagramOutput(DatagramStage port, Block block) {
    this.port = port;
    this.block = block;
  }

  DatagramOutput begin(long at) {
    start = at;
    length = 0;
    return this;
  }

  /// Returns the number of bytes added so far.
  public int length() {
    return Math.max(0, length);
  }

  private long claim(int bytes) {
    if (length < 0) {
      throw new IllegalStateException(
          "no datagram is being built here. Fix: begin one with Datagrams.to, and send it once");
    }
    Objects.checkFromIndexSize(length, bytes, Datagrams.MOST_BYTES);
    long at = start + length;
    length += bytes;
    return at;
  }

  public DatagramOutput put(byte value) {
    block.segment().set(ValueLayout.JAVA_BYTE, claim(1), value);
    return this;
  }

  /// Appends four bytes in network order.
  public DatagramOutput putInt(int value) {
    block.segment().set(INT, claim(Integer.BYTES), value);
    return this;
  }

  public DatagramOutput put(byte[] bytes) {
    return put(bytes, 0, bytes.length);
  }

  public DatagramOutput put(byte[] bytes, int from, int count) {
    Objects.checkFromIndexSize(from, count, bytes.length);
    MemorySegment.copy(bytes, from, block.segment(), ValueLayout.JAVA_BYTE, claim(count), count);
    return this;
  }

  /// Appends bytes of a view that was passed to a handler.
  public DatagramOutput put(View view, int from, int count) {
    Objects.checkFromIndexSize(from, count, view.length());
    view.copyTo(from, block.segment(), claim(count), count);
    return this;
  }

  /// Appends a part of a block.
  public DatagramOutput put(Block source, long from, int count) {
    Objects.checkFromIndexSize(from, count, source.lengthBytes());
    MemorySegment.copy(source.segment(), from, block.segment(), claim(count), count);
    return this;
  }

  /// Stages the datagram.
  public void send() {
    long _ = claim(0);
    int bytes = length;
    length = -1;
    port.stage(bytes);
  }

  /// Discards the datagram.
  public void discard() {
    length = -1;
  }
}
