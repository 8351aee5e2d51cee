package sluice.loop;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.Token;
import sluice.loop.input.PartialInput;
import sluice.loop.sockets.KernelEnd;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// What a connection receives, on its way to the protocol. Owned by the loop's thread.
///
/// **Ordering gate.** While a message is deferred to the slow path, the protocol holds its input,
/// or too much output waits, no further input is shown to the protocol, so no fast reply can
/// overtake the slow one; later bytes wait in `partial`, and beyond its cap receiving stops.
final class ConnectionInput {
  /// Input discarded after our FIN before the peer is cut off.
  private static final long LINGER_LIMIT_BYTES = 1 << 20;

  private final Connection connection;
  private final LoopParts loop;
  private final ConnectionParts parts;
  private final PartialInput partial;

  /// Where the receive of the socket is.
  ///
  /// ```
  /// NONE ──arm──▶ ARMED ──last completion──▶ NONE
  ///                 └──cancel──▶ CANCELLED ──▲
  /// ```
  private enum Receive {
    NONE,
    ARMED,

    /// Its last completion is on the way.
    CANCELLED
  }

  /// What input waits for, apart from an answer.
  ///
  /// ```
  /// OPEN ──▶ QUEUED ──next turn──▶ OPEN, or ROOM or MEMORY
  ///          ▲ ▲ └────────────────────▶ ROOM ──the peer has read──▶ QUEUED
  ///          │ └──memory came back──── MEMORY
  ///          └──new input, an answer── ROOM, MEMORY
  /// ```
  private enum Gate {
    OPEN,

    /// The next turn looks again.
    QUEUED,

    /// The peer must read first.
    ROOM,

    /// More can be staged when memory has come back, see [OutputRoom].
    MEMORY
  }

  boolean starved;

  /// As [Connection#expectPreface].
  boolean preface;

  private Receive receive = Receive.NONE;
  private Gate gate = Gate.OPEN;
  private boolean heldByProtocol;

  /// Input is shown however much output waits.
  private boolean needsNoRoom;

  /// What comes belongs to the message that is deferred.
  private boolean feedsDeferred;

  /// There was no memory for it: the connection closes after the answer that is under way.
  private boolean refused;

  private boolean peerEnded;

  /// The protocol takes what comes by [#receiveInto] where it can: receives are armed for one
  /// completion, so that in between nothing else takes bytes off the socket. Null otherwise.
  private @Nullable KernelTransport direct;

  /// The protocol is being told that it has caught up.
  private boolean caughtUp;

  private boolean endPending;
  private long lingerBytes;

  ConnectionInput(Connection connection) {
    this.connection = connection;
    this.loop = connection.loop;
    this.parts = connection.parts;
    this.partial = new PartialInput(loop.partials(), connection);
  }

  // ---- receiving ----------------------------------------------------------------------------

  /// Arms receiving when the connection wants more input and has room for it.
  void arm() {
    if (armed() || peerEnded || starved || refused || connection.finished()) {
      return;
    }
    if (connection.state == Connection.State.OPEN && full()) {
      return;
    }
    TlsLayer tls = connection.tls;
    if (tls != null && tls.saturated()) {
      return;
    }
    receive = Receive.ARMED;
    if (direct != null) {
      direct.receiveOnce(connection.socket, connection.token(Token.RECEIVE));
    } else {
      connection.transport.receive(connection.socket, connection.token(Token.RECEIVE));
    }
  }

  /// As [Connection#expectLong].
  void expectLong(boolean on) {
    if (on == (direct != null)
        || connection.tls != null
        || connection.state != Connection.State.OPEN) {
      return;
    }
    if (on
        && connection.transport instanceof KernelTransport kernel
        && kernel.receivesDirectly(connection.socket)) {
      direct = kernel;
      cancel(); // it goes on by itself otherwise
    } else if (!on) {
      direct = null; // what is armed ends with its next completion
    }
  }

  /// Lets the protocol take what has come behind what it has consumed.
  private void takeDirectly() {
    if (direct == null || armed() || partial.length() > 0 || peerEnded) {
      return;
    }
    if (connection.state == Connection.State.OPEN && !gated()) {
      caughtUp = true;
      try {
        parts.calls().caughtUp(connection);
      } finally {
        caughtUp = false;
      }
    }
  }

  /// As [Connection#receiveInto].
  int receiveInto(MemorySegment into, long at, int most) {
    if (!caughtUp) {
      throw new IllegalStateException("bytes may be taken in Protocol.caughtUp only");
    }
    KernelTransport from = direct;
    if (most == 0 || from == null || connection.state != Connection.State.OPEN) {
      return 0;
    }
    int taken = from.tryReceive(connection.socket, into, at, most);
    if (taken > 0) {
      connection.busy();
      loop.counters().directReceives++;
      loop.counters().receivedBytes += taken;
      return taken;
    }
    if (taken < 0 && taken != -Errno.EAGAIN && taken != -Errno.EINTR) {
      connection.abort();
    }
    return 0; // an end of the stream is what the next receive finds too
  }

  private boolean full() {
    return partial.length() >= loop.config().partialBytesPerConnection();
  }

  boolean armed() {
    return receive != Receive.NONE;
  }

  /// The receive has had its last completion.
  void disarmed() {
    receive = Receive.NONE;
  }

  void pause() {
    if (receive == Receive.ARMED) {
      loop.counters().receivePauses++;
      cancel();
    }
  }

  /// Ends a receive that is armed.
  void cancel() {
    if (receive == Receive.ARMED) {
      receive = Receive.CANCELLED;
      connection.transport.cancel(connection.token(Token.RECEIVE));
    }
  }

  /// Bytes came in a chunk.
  void received(Block chunk, long base, int count) {
    int taken = 0;
    if (preface && connection.state == Connection.State.OPEN) {
      taken = parts.calls().preface(connection, chunk, base, count);
      if (taken == count || connection.state != Connection.State.OPEN) {
        return;
      }
    }
    TlsLayer tls = connection.tls;
    if (tls == null) {
      show(chunk, base + taken, count - taken);
    } else {
      tls.received(chunk, base + taken, count - taken);
    }
  }

  // ---- showing ------------------------------------------------------------------------------

  /// Bytes for the protocol, in a block that stays as it is while it is leased.
  void show(Block chunk, long base, int count) {
    switch (connection.state) {
      case OPEN -> {
        if (refused) {
          return;
        }
        if (gated()) {
          if (hold(chunk.segment(), base, count) && !answerAwaited()) {
            resumeLater();
          }
        } else if (partial.length() > 0) {
          if (hold(chunk.segment(), base, count)) {
            presentPartial();
          }
        } else {
          present(chunk, base, count);
        }
      }
      case LINGER -> {
        lingerBytes += count;
        if (!leftUnread() && lingerBytes > LINGER_LIMIT_BYTES) {
          connection.abort();
        }
      }
      case CLOSING, FINISHED -> {
        boolean _ = leftUnread();
      }
    }
  }

  /// Bytes came after the application's end.
  ///
  /// @return whether that is the kernel's, which they turn into a reset
  private boolean leftUnread() {
    KernelEnd end = connection.kernelEnd;
    if (end != null) {
      end.leftUnread();
    }
    return end != null;
  }

  /// Whether the answering code will say when the next may be shown.
  private boolean answerAwaited() {
    return heldByProtocol || (connection.deferred() && !feedsDeferred);
  }

  /// As [Connection#feedDeferred].
  void feedDeferred(boolean value) {
    feedsDeferred = value;
    needsNoRoom = value;
  }

  /// As [Connection#inputNeedsNoRoom].
  void needsNoRoom(boolean value) {
    needsNoRoom = value;
  }

  /// As [Connection#holdInput].
  void holdBack() {
    heldByProtocol = true;
  }

  /// As [Connection#resumeInput].
  void letThrough() {
    heldByProtocol = false;
    resumeAfterAnswer();
  }

  boolean heldByProtocol() {
    return heldByProtocol;
  }

  /// Whether input waits: for an answer, or for room in the output.
  private boolean gated() {
    return answerAwaited() || (!needsNoRoom && (gate != Gate.OPEN || connection.outputFull()));
  }

  /// Shows input again when more can be staged: in the next turn, or when memory has come back.
  private void resumeLater() {
    if (loop.outputRoom().isShort()) {
      gate = gate == Gate.QUEUED ? gate : Gate.MEMORY;
      loop.outputRoom().await(connection);
    } else {
      queueResume();
    }
  }

  private void queueResume() {
    if (gate != Gate.QUEUED) {
      gate = Gate.QUEUED;
      parts.resumes().add(connection);
    }
  }

  /// There is output memory.
  void memoryCame() {
    if (gate == Gate.MEMORY) {
      queueResume();
    }
  }

  /// Shows held input again, if the gate is open. When the peer must read first, that waits for
  /// [#outputTaken]: trying every turn would keep the loop from sleeping.
  void resume() {
    gate = Gate.OPEN;
    if (connection.state != Connection.State.OPEN || answerAwaited()) {
      return;
    }
    if (!needsNoRoom && connection.overHighWater()) {
      gate = Gate.ROOM;
    }
    if (gated()) {
      if (gate != Gate.ROOM) {
        resumeLater();
      } else if (connection.sendState == Connection.Send.SUBMITTED) {
        loop.turn().settleSoon();
      }
      return;
    }
    connection.roomGranted = false;
    if (partial.length() > 0) {
      presentPartial();
    }
    boolean open = connection.state == Connection.State.OPEN;
    if (open && endPending && !answerAwaited() && gate == Gate.OPEN) {
      endPending = false;
      tellEnd();
    }
    arm();
  }

  /// Drops what was held and hears no more; when the answer that is under way is staged, the
  /// connection closes.
  void refuse() {
    refused = true;
    drop();
    pause();
  }

  /// Whether input is dropped.
  boolean refused() {
    return refused;
  }

  /// A deferred message has been answered, or input is held no more: look at what waited behind it.
  void resumeAfterAnswer() {
    if (refused && !connection.deferred()) {
      connection.close();
      return;
    }
    if (!answerAwaited()
        && connection.state == Connection.State.OPEN
        && (partial.length() > 0 || endPending)) {
      queueResume();
    }
  }

  /// The kernel has taken some of the output.
  void outputTaken() {
    if (gate == Gate.ROOM && !connection.overHighWater()) {
      queueResume();
    }
  }

  /// Whether something was received that has not been handled.
  boolean waits() {
    return partial.length() > 0 || gate == Gate.QUEUED || heldByProtocol;
  }

  /// Bytes that were received and not handled.
  int heldBytes() {
    return partial.length();
  }

  /// Whether input waits for the peer to read.
  boolean roomAwaited() {
    return gate == Gate.ROOM;
  }

  private void presentPartial() {
    Block block = partial.block();
    if (block != null) {
      present(block, 0, partial.length());
    }
  }

  private void present(Block block, long base, int count) {
    int used = parts.calls().deliver(connection, block, base, count);
    if (connection.state != Connection.State.OPEN) {
      return;
    }
    int left = count - used;
    boolean wasHeld = block == partial.block();
    if (left == 0) {
      if (wasHeld) {
        partial.drop();
      }
      takeDirectly();
      return;
    }
    if (wasHeld) {
      held(partial.consume(used));
    } else {
      hold(block.segment(), base + used, left);
    }
    if (!answerAwaited() && connection.state == Connection.State.OPEN) {
      if (connection.outputFull()) {
        resumeLater();
      } else if (full()) {
        loop.counters().oversizeMessages++;
        connection.abort();
      }
    }
  }

  // ---- keeping ------------------------------------------------------------------------------

  private boolean hold(MemorySegment source, long offset, int count) {
    return held(partial.append(source, offset, count));
  }

  /// Past the cap receiving stops; past the loop's budget nothing more is heard.
  private boolean held(boolean kept) {
    if (!kept) {
      connection.inputOverBudget();
      return false;
    }
    if (full() && gated()) {
      pause();
    }
    return true;
  }

  /// Memory that unfinished input takes.
  long blockBytes() {
    TlsLayer tls = connection.tls;
    return partial.blockBytes() + (tls == null ? 0 : tls.heldBlockBytes());
  }

  /// Nothing more will be shown.
  void drop() {
    partial.drop();
    TlsLayer tls = connection.tls;
    if (tls != null) {
      tls.dropHeld();
    }
  }

  // ---- end ----------------------------------------------------------------------------------

  /// Whether the peer's FIN has come.
  boolean peerEnded() {
    return peerEnded;
  }

  /// End of stream from the peer.
  void fin() {
    peerEnded = true;
    TlsLayer tls = connection.tls;
    if (tls == null) {
      end();
    } else {
      tls.peerFin();
    }
  }

  private void tellEnd() {
    Block left = partial.block();
    if (left != null) {
      parts.calls().leftOver(connection, left, partial.length());
    }
    if (connection.state == Connection.State.OPEN) {
      parts.calls().ended(connection, partial.length());
    }
  }

  /// The protocol gets no more input.
  void end() {
    peerEnded = true;
    switch (connection.state) {
      case OPEN -> {
        if (gated()) {
          endPending = true;
          if (!answerAwaited()) {
            resumeLater();
          }
        } else {
          tellEnd();
        }
      }
      case LINGER -> {
        if (connection.kernelEnd == null) {
          connection.abort();
        }
      }
      default -> {}
    }
  }
}
