package sluice.loop;

import org.jspecify.annotations.Nullable;
import sluice.loop.engine.LeaseLimits;
import sluice.loop.engine.Transport;
import sluice.loop.input.ConnectionLeases;
import sluice.memory.block.Block;

/// A connection as the parts below its protocol see it: its links in the loop's lists, the state of
/// its sends, and what they may ask of it. [Connection] is the only one. Owned by the loop's
/// thread.
///
/// [TimerWheel], [ConnectionList], [OutputRoom], [Output] and TLS name this class alone, so they
/// can be read, tested and replaced without the connection.
abstract class Endpoint {
  static final long NO_DEADLINE = Long.MIN_VALUE;

  /// Sentinel for `shortResult`: the submitted send has not completed, so it took everything.
  static final int TOOK_ALL = Integer.MAX_VALUE;

  /// Piece of a file that is read, because its pages are not in memory or must not be sent.
  static final int READ_PIECE_BYTES = 256 << 10;

  /// As [Transport#peerTakenBytes] where it cannot tell.
  private static final long UNKNOWN_TAKEN = -1;

  /// See the diagram of [Connection].
  enum State {
    OPEN,
    CLOSING,
    LINGER,
    FINISHED
  }

  /// Where the output is.
  ///
  /// ```
  /// IDLE ──flush──▶ SUBMITTED ──end of turn: all taken──▶ IDLE
  ///   │                 └──a part taken──▶ WAITING, WRITABLE or READING ──done──▶ IDLE
  ///   └──no memory──▶ ROOM ──granted──▶ IDLE
  /// ```
  enum Send {
    /// Nothing of the output is with the kernel.
    IDLE,

    /// A send was staged; the end of the turn that submits it tells how it went.
    SUBMITTED,

    /// A `sendAll` is in flight.
    WAITING,

    /// Waiting until the socket can take more of a file.
    WRITABLE,

    /// The slow path reads the next piece of a file.
    READING,

    /// Waits for memory, see [OutputRoom].
    ROOM;

    /// Whether the peer must read, or something else must happen, before more can be sent.
    boolean isBlocked() {
      return this != IDLE && this != SUBMITTED;
    }
  }

  final Transport transport;
  State state = State.OPEN;
  Send sendState = Send.IDLE;

  // The send that was submitted last, and the next.
  int submittedBytes;
  int shortResult = TOOK_ALL;
  boolean dirty;

  /// Size of the next piece of a file that is copied.
  int pieceBytes = READ_PIECE_BYTES;

  /// What the peer had taken when it was last looked at, and when that had changed.
  private long peerTaken;

  private long peerTookNanos;

  // Its place in the TimerWheel.
  long deadlineNanos = NO_DEADLINE;
  long timerTick;
  int timerSlot = -1;
  @Nullable Endpoint timerNext;
  @Nullable Endpoint timerPrevious;

  // Its place in a ConnectionList.
  @Nullable ConnectionList list;
  @Nullable Endpoint listNext;
  @Nullable Endpoint listPrevious;

  /// Turn of the loop in which it was accepted.
  long openedInTurn;

  /// When that was.
  long openedNanos;

  /// Is told to leave: refused, or idle too long. Takes no place, see [Admission].
  boolean leaving;

  /// Was ended for its descriptor, and is about to leave the table. Takes no place, see
  /// [Admission].
  boolean evicted;

  /// Was idle when its output had not been taken yet.
  boolean idleOnceSent;

  /// It is this connection's turn to take output memory.
  boolean roomGranted;

  private @Nullable ConnectionLeases leases;

  Endpoint(Transport transport) {
    this.transport = transport;
  }

  final boolean finished() {
    return state == State.FINISHED;
  }

  /// What of its input is kept.
  final ConnectionLeases leases(LeaseLimits limits) {
    ConnectionLeases made = leases;
    if (made == null) {
      made = new ConnectionLeases(limits);
      leases = made;
    }
    return made;
  }

  /// The peer must read: its time to take a byte begins.
  final void beginPeerTime(long now) {
    peerTaken = UNKNOWN_TAKEN;
    peerTookNanos = now;
  }

  /// Looks what the peer has taken, and returns when it last took something.
  final long peerTookNanos(int socket, long now) {
    long taken = transport.peerTakenBytes(socket);
    if (taken != peerTaken) {
      peerTaken = taken;
      peerTookNanos = now;
    }
    return peerTookNanos;
  }

  /// Ends in order, as [Connection#close].
  public abstract void close();

  /// Ends at once, as [Connection#abort].
  public abstract void abort();

  /// Its deadline has passed.
  abstract void expired();

  // ---- for admission ------------------------------------------------------------------------

  /// Whether the kernel has taken all output.
  abstract boolean allSent();

  /// Whether all output is with the kernel, in a send that may still fall short.
  abstract boolean allSubmitted();

  /// Whether nothing was asked, or begun to be asked, that has not been answered.
  abstract boolean asksForNothing();

  // ---- for output ---------------------------------------------------------------------------

  /// Something was staged: the turn flushes it.
  abstract void markDirty();

  /// Whether output that cannot be sent yet holds output memory.
  abstract boolean holdsOutputMemory();

  /// It waits for output memory: for that no peer is to blame.
  abstract void awaitRoom();

  /// There is output memory: whatever waited for some goes on.
  abstract void roomCame();

  // ---- for TLS ------------------------------------------------------------------------------

  /// Whether input is still wanted.
  abstract boolean acceptsInput();

  /// Bytes for the protocol, in a block that stays as it is while it is leased.
  abstract void showInput(Block block, long base, int count);

  /// Receiving stops until [#armInput].
  abstract void pauseInput();

  /// Arms receiving when the connection wants more input and has room for it.
  abstract void armInput();

  /// The protocol gets no more input.
  abstract void endInput();

  /// There is no memory for its input.
  abstract void inputOverBudget();

  /// The handshake is over, and its deadline with it.
  abstract void handshakeEnded();
}
