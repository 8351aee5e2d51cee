package sluice.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import sluice.loop.engine.Completion;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.Engine;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.SendVector;
import sluice.loop.engine.Transport;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.testkit.sim.SimRandom;

/// An echo server written directly over an [Engine], which sends from the chunks in which bytes
/// arrive. It follows the contract exactly, except for the [Bug] that it is given.
final class RawEcho implements CompletionSink {
  /// Possible mistakes of an engine's caller.
  enum Bug {
    NONE,
    RELEASES_BEFORE_SENT,
    WRITES_BEFORE_SENT,
    TWO_SENDS,
    NO_REARM_AFTER_ENOBUFS,
    NO_REARM_WITHOUT_MORE,
    CLOSES_WITH_RECEIVE_ARMED,
    IGNORES_SHORT_SEND,
    GIVES_UP_AFTER_SIGNAL,
    LEAKS_CHUNK,
    RELEASES_TWICE,
    WRITES_AFTER_RELEASE,
    FORGETS_ACCEPT,
    FORGETS_TO_CLOSE
  }

  private static final int RECEIVE = 1;
  private static final int SEND = 2;
  private static final int SEND_ALL = 3;
  private static final int WRITABLE = 4;
  private static final long ACCEPT = 5L << 56;

  /// Received bytes that wait to be sent back, with one lease.
  private final class Piece {
    final Block block;
    int offset;
    int length;
    boolean released;

    Piece(Block block, int offset, int length) {
      this.block = block;
      this.offset = offset;
      this.length = length;
    }

    void release() {
      if (released || (bug == Bug.LEAKS_CHUNK && random.chance(50))) {
        return;
      }
      released = true;
      block.release();
      if (bug == Bug.RELEASES_TWICE) {
        block.release();
      } else if (bug == Bug.WRITES_AFTER_RELEASE) {
        block.segment().fill((byte) 1);
      }
    }
  }

  private static final class Peer {
    final int socket;
    final int serial;
    final ArrayDeque<Piece> pieces = new ArrayDeque<>();
    int inFlight;
    boolean receiveArmed;
    boolean receiveCancelled;
    boolean starved;
    boolean sendSilent;
    boolean sendWaits;
    boolean waitsWritable;
    boolean ended;
    boolean dead;

    Peer(int socket, int serial) {
      this.socket = socket;
      this.serial = serial;
    }

    long token(int operation) {
      return (long) operation << 56 | serial;
    }
  }

  private final Engine engine;
  private final Transport transport;
  private final SimRandom random;
  private final Bug bug;
  private final Map<Integer, Peer> peers = new HashMap<>();
  private final SendVector vector = new SendVector();
  private final int listener;
  private boolean acceptArmed;
  private boolean stopping;
  private boolean listenerClosed;
  private int serials;

  RawEcho(Engine engine, SimRandom random, Bug bug) throws IOException {
    this.engine = engine;
    this.transport = engine.sockets();
    this.random = random;
    this.bug = bug;
    this.listener =
        transport.listen(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ListenOptions.DEFAULT);
    armAccept();
  }

  SocketAddress address() throws IOException {
    return transport.localAddress(listener);
  }

  boolean stopped() {
    return listenerClosed && peers.isEmpty();
  }

  void stop() {
    stopping = true;
    if (acceptArmed) {
      engine.cancel(ACCEPT);
    } else {
      closeListener();
    }
  }

  /// Runs one turn: completes operations, then stages the operations that the completions asked
  /// for.
  void turn() {
    engine.turn(-1, this);
    for (Peer peer : List.copyOf(peers.values())) {
      if (peer.sendSilent) {
        peer.sendSilent = false;
        sent(peer, peer.inFlight);
      }
      advance(peer);
    }
  }

  @Override
  public void complete(long token, int result, long flags) {
    if (token == ACCEPT) {
      accepted(result, flags);
      return;
    }
    Peer peer = peers.get((int) token);
    if (peer == null) {
      throw new AssertionError("completion without an operation: " + Long.toHexString(token));
    }
    switch ((int) (token >>> 56)) {
      case RECEIVE -> received(peer, result, flags);
      case SEND -> fellShort(peer, result);
      case SEND_ALL -> sentAll(peer, result);
      case WRITABLE -> {
        peer.waitsWritable = false;
        peer.dead |= result < 0;
      }
      default -> throw new AssertionError(Long.toHexString(token));
    }
  }

  private void armAccept() {
    acceptArmed = true;
    transport.accept(listener, ACCEPT);
  }

  private void accepted(int result, long flags) {
    if (result >= 0) {
      Peer peer = new Peer(result, ++serials);
      peers.put(peer.serial, peer);
    }
    if (!Completion.hasMore(flags)) {
      acceptArmed = false;
      if (stopping) {
        closeListener();
      } else if (bug != Bug.FORGETS_ACCEPT) {
        armAccept();
      }
    }
  }

  private void closeListener() {
    listenerClosed = true;
    transport.close(listener);
  }

  private void received(Peer peer, int result, long flags) {
    if (!Completion.hasMore(flags)) {
      peer.receiveArmed = false;
    }
    if (Completion.hasChunk(flags)) {
      Block block = transport.arena().block(Completion.chunk(flags));
      peer.pieces.add(new Piece(block, Completion.offset(flags), result));
      if (bug == Bug.NO_REARM_WITHOUT_MORE && !Completion.hasMore(flags)) {
        peer.receiveArmed = true;
      }
    } else if (result == 0) {
      peer.ended = true;
    } else if (result == -Errno.ENOBUFS) {
      peer.starved = true;
    } else if (result != -Errno.ECANCELED) {
      peer.dead = true;
    }
    if (bug == Bug.TWO_SENDS && !peer.pieces.isEmpty() && !peer.dead) {
      startSend(peer);
    }
  }

  private void fellShort(Peer peer, int result) {
    peer.sendSilent = false;
    if (bug == Bug.IGNORES_SHORT_SEND && result >= 0) {
      sent(peer, peer.inFlight);
    } else if (result >= 0) {
      sent(peer, result);
    } else if (result == -Errno.EAGAIN) {
      peer.waitsWritable = true;
      transport.awaitWritable(peer.socket, peer.token(WRITABLE));
    } else {
      peer.dead = true;
    }
    peer.inFlight = 0;
  }

  private void sentAll(Peer peer, int result) {
    peer.sendWaits = false;
    boolean givesUp = bug == Bug.GIVES_UP_AFTER_SIGNAL && result != peer.inFlight;
    if (givesUp || (result < 0 && result != -Errno.EINTR)) {
      peer.dead = true;
    } else {
      sent(peer, result); // the rest of a send that a signal has ended comes next
    }
    peer.inFlight = 0;
  }

  private void sent(Peer peer, int count) {
    int left = count;
    while (left > 0) {
      Piece piece = peer.pieces.element();
      int n = Math.min(left, piece.length);
      piece.offset += n;
      piece.length -= n;
      left -= n;
      if (piece.length == 0) {
        peer.pieces.remove().release();
      }
    }
  }

  private void advance(Peer peer) {
    if (peer.dead) {
      shutDown(peer);
      return;
    }
    boolean sending = peer.sendWaits || peer.waitsWritable;
    if (!sending && !peer.pieces.isEmpty()) {
      startSend(peer);
    }
    if (peer.ended && peer.pieces.isEmpty()) {
      peer.dead = true;
      shutDown(peer);
      return;
    }
    if (peer.starved && transport.arena().free() > 0 && bug != Bug.NO_REARM_AFTER_ENOBUFS) {
      peer.starved = false;
    }
    if (!peer.receiveArmed && !peer.ended && !peer.starved) {
      peer.receiveArmed = true;
      transport.receive(peer.socket, peer.token(RECEIVE));
    }
  }

  private void startSend(Peer peer) {
    Piece first = peer.pieces.element();
    if (random.chance(400)) {
      peer.sendWaits = true;
      peer.inFlight = first.length;
      transport.sendAll(
          peer.socket, peer.token(SEND_ALL), first.block.segment(), first.offset, first.length);
    } else if (random.chance(500)) {
      peer.sendSilent = true;
      peer.inFlight = first.length;
      transport.send(
          peer.socket, peer.token(SEND), first.block.segment(), first.offset, first.length);
    } else {
      peer.sendSilent = true;
      vector.clear();
      for (Piece piece : peer.pieces) {
        vector.add(piece.block.segment(), piece.offset, piece.length);
      }
      peer.inFlight = vector.totalBytes();
      transport.sendVector(peer.socket, peer.token(SEND), vector);
    }
    spoil(first);
  }

  private void spoil(Piece piece) {
    switch (bug) {
      case RELEASES_BEFORE_SENT -> piece.release();
      case WRITES_BEFORE_SENT -> piece.block.segment().fill((byte) 0);
      default -> {}
    }
  }

  /// Cancels all operations in flight, and closes the socket once there are none.
  private void shutDown(Peer peer) {
    if (peer.receiveArmed && !peer.receiveCancelled) {
      peer.receiveCancelled = true;
      engine.cancel(peer.token(RECEIVE));
    }
    if (peer.sendWaits) {
      engine.cancel(peer.token(SEND_ALL));
    }
    if (peer.waitsWritable) {
      engine.cancel(peer.token(WRITABLE));
    }
    boolean armed = peer.receiveArmed && bug != Bug.CLOSES_WITH_RECEIVE_ARMED;
    if (!armed && !peer.sendWaits && !peer.waitsWritable && !peer.sendSilent) {
      peer.pieces.forEach(Piece::release);
      peers.remove(peer.serial);
      if (bug != Bug.FORGETS_TO_CLOSE) {
        transport.close(peer.socket);
      }
    }
  }
}
