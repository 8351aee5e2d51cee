package sluice.loop;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import sluice.loop.input.TlsHeld;
import sluice.memory.block.Block;

/// A decoder that decrypts records in the chunk in which they arrived. Only the beginning of an
/// incomplete record is copied. Owned by the loop's thread, and idle while tasks of the handshake
/// run on the slow path.
///
/// A block for plain bytes is only allocated while they are shown to the protocol. Between
/// messages, a connection holds no buffer.
final class TlsReader {
  private static final int TYPE_HANDSHAKE = 22;
  private static final int SMALLEST_PLAIN_BYTES = 512;

  /// The target buffer of the engine while there is no block.
  static final ByteBuffer NO_ROOM = ByteBuffer.allocate(0);

  private final Endpoint connection;
  private final LoopParts loop;
  private final SSLEngine engine;
  private final TlsLayer layer;
  private final TlsHandshake handshake;
  private final TlsHeld held;

  /// The block of plain bytes decrypted from the current chunk.
  private @Nullable Block plain;

  private ByteBuffer target = NO_ROOM;

  TlsReader(
      LoopParts loop,
      Endpoint connection,
      SSLEngine engine,
      TlsLayer layer,
      TlsHandshake handshake) {
    this.connection = connection;
    this.loop = loop;
    this.engine = engine;
    this.layer = layer;
    this.handshake = handshake;
    this.held = new TlsHeld(loop.partials(), connection);
  }

  /// Returns the held ciphertext.
  TlsHeld held() {
    return held;
  }

  /// Handles ciphertext from a chunk that has no other holder, so it can be decrypted in place.
  void received(Block chunk, long base, int count) {
    if (!accepts()) {
      connection.showInput(chunk, base, count); // counted, and dropped
      return;
    }
    MemorySegment bytes = chunk.segment();
    int used = 0;
    while (used < count && accepts()) {
      int missing = held.missing();
      if (missing > 0 && !handshake.busy()) {
        int more = Math.min(missing, count - used);
        if (!hold(bytes, base + used, more)) {
          return;
        }
        used += more;
        if (held.missing() == 0) {
          decryptHeld();
        }
        continue;
      }
      if (!handshake.busy()) {
        used += decrypt(bytes, base + used, count - used);
      }
      if (used < count && accepts()) {
        hold(bytes, base + used, count - used);
        return;
      }
    }
  }

  /// Returns true if input is still decrypted.
  boolean accepts() {
    return connection.acceptsInput() && !layer.inputEnded();
  }

  private boolean hold(MemorySegment from, long offset, int count) {
    if (!held.add(from, offset, count)) {
      connection.inputOverBudget();
      return false;
    }
    if (saturated()) {
      connection.pauseInput();
    }
    return true;
  }

  /// Returns true if so much ciphertext is waiting for the slow path that receiving stops.
  boolean saturated() {
    int most = Math.max(loop.config().partialBytesPerConnection(), TlsHeld.LONGEST_RECORD_BYTES);
    return handshake.busy() && held.length() >= most;
  }

  /// Decrypts the held records, unless only the beginning of one is held.
  void decryptHeld() {
    int length = held.length();
    Block block = held.take();
    if (block == null) {
      return;
    }
    int used = decrypt(block.segment(), 0, length);
    if (used < length && accepts()) {
      hold(block.segment(), used, length - used);
    }
    block.release();
  }

  /// Decrypts complete records and shows their contents.
  ///
  /// @return the number of bytes consumed, which is less than `count` if a record is incomplete or
  ///   if tasks must run first
  private int decrypt(MemorySegment from, long offset, int count) {
    ByteBuffer source = from.asSlice(offset, count).asByteBuffer();
    try {
      while (!handshake.busy() && accepts() && TlsHeld.complete(source)) {
        if (handshake.renegotiable() && source.get(source.position()) == TYPE_HANDSHAKE) {
          throw new SSLException("the client wants to renegotiate, which is refused");
        }
        unwrap(source);
      }
      showPlain();
    } catch (SSLException e) {
      showPlain();
      layer.fail(e);
    } catch (RuntimeException e) {
      layer.broken(e);
    } finally {
      dropPlain();
    }
    return source.position();
  }

  private void unwrap(ByteBuffer source) throws SSLException {
    int before = source.position();
    SSLEngineResult result = engine.unwrap(source, target);
    HandshakeStatus next = result.getHandshakeStatus();
    switch (result.getStatus()) {
      case BUFFER_OVERFLOW -> {
        if (plain != null && target.position() == 0) {
          throw new SSLException("a record holds more than it can: " + result);
        }
        showPlain();
        if (!allocatePlain(source.remaining())) {
          connection.inputOverBudget();
        }
        return;
      }
      case BUFFER_UNDERFLOW -> throw new SSLException("a record is longer than it says");
      case CLOSED -> {
        handshake.proceed(next);
        showPlain();
        layer.endInput(false);
        return;
      }
      case OK -> {}
    }
    boolean stuck = source.position() == before && next == HandshakeStatus.NEED_UNWRAP;
    if (stuck || (source.position() == before && next == HandshakeStatus.NOT_HANDSHAKING)) {
      throw new SSLException("the engine makes no progress: " + result);
    }
    handshake.proceed(next);
  }

  private boolean allocatePlain(int bytes) {
    dropPlain();
    Block block = loop.partials().allocate(connection, Math.max(SMALLEST_PLAIN_BYTES, bytes));
    if (block == null) {
      return false;
    }
    plain = block;
    target = block.segment().asByteBuffer();
    return true;
  }

  private void showPlain() {
    Block block = plain;
    int count = target.position();
    if (block != null && count > 0) {
      plain = null;
      target = NO_ROOM;
      loop.turn().openBatch();
      connection.showInput(block, 0, count);
      block.release();
    }
  }

  private void dropPlain() {
    Block block = plain;
    plain = null;
    target = NO_ROOM;
    if (block != null) {
      block.release();
    }
  }
}
