package sluice.loop;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.Token;
import sluice.loop.input.PartialInput;
import sluice.loop.sockets.KernelEnd;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// The receive path of a connection, from the socket to the protocol. Owned by the loop's thread.
///
/// **Ordering gate.** No further input is shown to the protocol while a message is deferred to the
/// slow path, while the protocol holds its input, or while too much output is queued. Therefore a
/// fast reply can never overtake a slow one. Later bytes are stored in `partial`, and receiving
/// stops when its limit is exceeded.
final class ConnectionInput {
  /// The number of bytes discarded after our FIN before the connection is aborted.
  private static final long LINGER_LIMIT_BYTES = 1 << 20;

  private final Connection connection;
  private final LoopParts loop;
  private final ConnectionParts parts;
  private final PartialInput partial;

  /// The state of the socket's receive operation.
  ///
  /// ```
  /// NONE ──arm──▶ ARMED ──last completion──▶ NONE
  ///                 └──cancel──▶ CANCELLED ──▲
  /// ```
  private enum Receive {
    NONE,
    ARMED,

    /// The operation has been cancelled, and its last completion is still pending.
    CANCELLED
  }

  /// The condition that input waits for, other than an answer.
  ///
  /// ```
  /// OPEN ──▶ QUEUED ──next turn──▶ OPEN, or ROOM or MEMORY
  ///          ▲ ▲ └────────────────────▶ ROOM ──the peer has read──▶ QUEUED
  ///          │ └──memory came back──── MEMORY
  ///          └──new input, an answer── ROOM, MEMORY
  /// ```
  private enum Gate {
    OPEN,

    /// Delivery is retried in the next turn.
    QUEUED,

    /// The peer must read first.
    ROOM,

    /// Output can be staged again when memory is released, see [OutputRoom].
    MEMORY
  }

  boolean starved;

  /// See [Connection#expectPreface].
  boolean preface;

  private Receive receive = Receive.NONE;
  private Gate gate = Gate.OPEN;
  private boolean heldByProtocol;

  /// True if input is shown no matter how much output is queued.
  private boolean needsNoRoom;

  /// True if input belongs to the deferred message.
  private boolean feedsDeferred;

  /// True if no memory was left for the input, so that the connection closes after the current
  /// answer.
  private boolean refused;

  private boolean peerEnded;

  /// The transport from which the protocol receives with [#receiveInto], or null if it does not.
  /// Each receive is armed for a single completion, so that no other operation reads from the
  /// socket in between.
  private @Nullable KernelTransport direct;

  /// True while the protocol is being notified that it has caught up.
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

  /// Arms receiving if the connection accepts input and has room for it.
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

  /// Implements [Connection#expectLong].
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

  /// Allows the protocol to receive the bytes that follow the consumed input.
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

  /// Implements [Connection#receiveInto].
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

  /// Records the last completion of the receive operation.
  void disarmed() {
    receive = Receive.NONE;
  }

  void pause() {
    if (receive == Receive.ARMED) {
      loop.counters().receivePauses++;
      cancel();
    }
  }

  /// Cancels the receive operation if it is armed.
  void cancel() {
    if (receive == Receive.ARMED) {
      receive = Receive.CANCELLED;
      connection.transport.cancel(connection.token(Token.RECEIVE));
    }
  }

  /// Handles bytes that have arrived in a chunk.
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

  /// Shows bytes to the protocol. The block does not change while it is leased.
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

  /// Records that bytes have arrived after the application closed the connection.
  ///
  /// @return true if the connection closes as the kernel does, in which case the bytes cause a
  ///   reset
  private boolean leftUnread() {
    KernelEnd end = connection.kernelEnd;
    if (end != null) {
      end.leftUnread();
    }
    return end != null;
  }

  /// Returns true if the answering code will indicate when the next message may be shown.
  private boolean answerAwaited() {
    return heldByProtocol || (connection.deferred() && !feedsDeferred);
  }

  /// Implements [Connection#feedDeferred].
  void feedDeferred(boolean value) {
    feedsDeferred = value;
    needsNoRoom = value;
  }

  /// Implements [Connection#inputNeedsNoRoom].
  void needsNoRoom(boolean value) {
    needsNoRoom = value;
  }

  /// Implements [Connection#holdInput].
  void holdBack() {
    heldByProtocol = true;
  }

  /// Implements [Connection#resumeInput].
  void letThrough() {
    heldByProtocol = false;
    resumeAfterAnswer();
  }

  boolean heldByProtocol() {
    return heldByProtocol;
  }

  /// Returns true if input waits for an answer or for room in the output.
  private boolean gated() {
    return answerAwaited() || (!needsNoRoom && (gate != Gate.OPEN || connection.outputFull()));
  }

  /// Schedules held input for the next turn, or for when memory has been released if output waits
  /// for memory.
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

  /// Resumes input that was waiting for output memory.
  void memoryCame() {
    if (gate == Gate.MEMORY) {
      queueResume();
    }
  }

  /// Shows held input again if the gate is open. If the peer must read first, input waits for
  /// [#outputTaken], because retrying in every turn would prevent the loop from sleeping.
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

  /// Discards held input and ignores all further input. The connection closes once the current
  /// answer is staged.
  void refuse() {
    refused = true;
    drop();
    pause();
  }

  /// Returns true if input is discarded.
  boolean refused() {
    return refused;
  }

  /// Shows the input that was waiting for the answer to a deferred message or for the end of a
  /// hold.
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

  /// Resumes input that was waiting for the peer to read, once the kernel has accepted enough
  /// output.
  void outputTaken() {
    if (gate == Gate.ROOM && !connection.overHighWater()) {
      queueResume();
    }
  }

  /// Returns true if received bytes have not been handled, or if input is held.
  boolean waits() {
    return partial.length() > 0 || gate == Gate.QUEUED || heldByProtocol;
  }

  /// Returns the number of bytes that have been received but not handled.
  int heldBytes() {
    return partial.length();
  }

  /// Returns true if input is waiting for the peer to read.
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

  /// Checks the limits after an append. Receiving stops if the connection's limit is exceeded, and
  /// the connection is closed if the loop's memory budget is exhausted.
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

  /// Returns the number of bytes of memory occupied by unfinished input.
  long blockBytes() {
    TlsLayer tls = connection.tls;
    return partial.blockBytes() + (tls == null ? 0 : tls.heldBlockBytes());
  }

  /// Discards the held input. No more input will be shown.
  void drop() {
    partial.drop();
    TlsLayer tls = connection.tls;
    if (tls != null) {
      tls.dropHeld();
    }
  }

  // ---- end ----------------------------------------------------------------------------------

  /// Returns true if the peer's FIN has arrived.
  boolean peerEnded() {
    return peerEnded;
  }

  /// Handles the peer's FIN.
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

  /// Ends the input of the protocol.
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
