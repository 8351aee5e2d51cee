package sluice.loop;

import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import sluice.loop.output.OutSegment;
import sluice.loop.output.OutputMemory;
import sluice.loop.output.Staging;
import sluice.memory.block.Block;

/// An encoder of the records of one connection. The ciphertext is written to the turn's staging
/// memory, or to separate blocks if that is nearly full. Owned by the loop's thread.
final class TlsWriter {
  /// The amount of queued ciphertext at which encryption stops until the socket has accepted some.
  static final int WIRE_BYTES = 64 << 10;

  /// The amount of queued ciphertext at which a peer that provokes answers without reading them is
  /// disconnected.
  private static final int WIRE_LIMIT_BYTES = 3 * WIRE_BYTES;

  /// The maximum number of plain bytes in a record.
  private static final int RECORD_BYTES = 16 << 10;

  /// The maximum number of ranges gathered into one record.
  private static final int RECORD_RANGES = 16;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final ByteBuffer[] NO_RANGES = new ByteBuffer[0];

  private final OutputMemory memory;
  private final Endpoint connection;
  private final SSLEngine engine;
  private final Output wire;
  private ByteBuffer[] ranges = NO_RANGES;

  /// @param wire the output that is written to the socket
  TlsWriter(OutputMemory memory, Endpoint connection, Output wire, SSLEngine engine) {
    this.memory = memory;
    this.connection = connection;
    this.engine = engine;
    this.wire = wire;
  }

  /// Returns the output that is written to the socket.
  Output wire() {
    return wire;
  }

  /// Returns true if so much ciphertext is queued that no more output is encrypted.
  ///
  /// @param most the maximum amount of ciphertext to be produced ahead of the socket
  boolean full(int most) {
    return wire.queuedBytes() >= most;
  }

  /// Produces a record that contains the engine's own messages.
  ///
  /// @throws IllegalStateException if there is no room, or if the peer has not read earlier
  ///   messages
  SSLEngineResult message() throws SSLException {
    return record(0);
  }

  /// Produces a record from the front of the output, up to the first file, and removes the
  /// encrypted bytes.
  ///
  /// @param room the maximum number of plain bytes in the record; 0 for only those bytes that
  ///   [OutputRoom] has already counted, which include at least the first
  SSLEngineResult record(Output output, int room) throws SSLException {
    int count = collect(output, room);
    try {
      SSLEngineResult result = record(count);
      output.drop(result.bytesConsumed());
      return result;
    } finally {
      Arrays.fill(ranges, 0, count, null);
    }
  }

  private int collect(Output output, int room) {
    int most = room == 0 ? RECORD_BYTES : Math.min(room, RECORD_BYTES);
    if (ranges.length == 0) {
      ranges = new ByteBuffer[RECORD_RANGES];
    }
    int count = 0;
    int bytes = 0;
    OutSegment segment = output.head();
    while (segment != null
        && segment.file == null
        && (room > 0 || segment.counted())
        && count < RECORD_RANGES
        && bytes < most) {
      int some = Math.min(segment.length, most - bytes);
      ranges[count++] = segment.bytes.asSlice(segment.offset, some).asByteBuffer();
      bytes += some;
      segment = segment.next;
    }
    return count;
  }

  private SSLEngineResult record(int count) throws SSLException {
    if (wire.queuedBytes() > WIRE_LIMIT_BYTES) {
      throw new IllegalStateException("the peer makes us answer and reads nothing");
    }
    int most = engine.getSession().getPacketBufferSize();
    Staging staging = memory.staging();
    if (staging.crowded() || most > Staging.SLAB_BYTES) {
      Block block = memory.allocate(most);
      if (block != null) {
        return recordInBlock(count, block);
      }
      if (most > Staging.SLAB_BYTES) {
        throw new IllegalStateException("no room for a record: " + memory.kept());
      }
    }
    staging.ensure(most);
    ByteBuffer room = staging.slab().segment().asSlice(staging.position(), most).asByteBuffer();
    SSLEngineResult result = wrap(count, room);
    if (result.bytesProduced() > 0) {
      wire.claim(result.bytesProduced());
    }
    return result;
  }

  private SSLEngineResult recordInBlock(int count, Block block) throws SSLException {
    try {
      SSLEngineResult result = wrap(count, block.segment().asByteBuffer());
      if (result.bytesProduced() > 0 && !connection.finished()) {
        wire.lend(block, result.bytesProduced());
      }
      return result;
    } finally {
      block.release();
    }
  }

  private SSLEngineResult wrap(int count, ByteBuffer room) throws SSLException {
    return count == 0 ? engine.wrap(NOTHING, room) : engine.wrap(ranges, 0, count, room);
  }
}
