package sluice.loop;

import org.jspecify.annotations.Nullable;
import sluice.loop.engine.LeaseLimits;
import sluice.loop.engine.Transport;
import sluice.loop.input.ConnectionLeases;
import sluice.memory.block.Block;

/// A connection as seen by the layers below its protocol: its links in the loop's lists, the state
/// of its sends, and the operations these layers call. [Connection] is the only subclass. Owned by
/// the loop's thread.
///
/// [TimerWheel], [ConnectionList], [OutputRoom], [Output] and TLS depend on this class alone, so
/// they can be read, tested and replaced without the connection.
abstract class Endpoint {
  static final long NO_DEADLINE = Long.MIN_VALUE;

  /// The value of `shortResult` for a submitted send that has no completion, so that it took
  /// everything.
  static final int TOOK_ALL = Integer.MAX_VALUE;

  /// The size of the pieces in which a file is read if its pages are not in memory or must not be
  /// sent.
  static final int READ_PIECE_BYTES = 256 << 10;

  /// The result of [Transport#peerTakenBytes] if it is unknown.
  private static final long UNKNOWN_TAKEN = -1;

  /// The states of a connection, see the diagram of [Connection].
  enum State {
    OPEN,
    CLOSING,
    LINGER,
    FINISHED
  }

  /// The states of the output.
  ///
  /// ```
  /// IDLE ──flush──▶ SUBMITTED ──end of turn: all taken──▶ IDLE
  ///   │                 └──a part taken──▶ WAITING, WRITABLE or READING ──done──▶ IDLE
  ///   └──no memory──▶ ROOM ──granted──▶ IDLE
  /// ```
  enum Send {
    /// The kernel holds none of the output.
    IDLE,

    /// A send was staged. The end of the turn that submits it delivers its result.
    SUBMITTED,

    /// A `sendAll` is in flight.
    WAITING,

    /// The send waits until the socket can take more of a file.
    WRITABLE,

    /// The slow path reads the next piece of a file.
    READING,

    /// The send waits for memory, see [OutputRoom].
    ROOM;

    /// Returns true if the peer must read, or another event must occur, before more can be sent.
    boolean isBlocked() {
      return this != IDLE && this != SUBMITTED;
    }
  }

  final Transport transport;
  State state = State.OPEN;
  Send sendState = Send.IDLE;

  // The sizes of the last submitted send and the next piece.
  int submittedBytes;
  int shortResult = TOOK_ALL;
  boolean dirty;

  /// The size of the next piece of a file that is copied.
  int pieceBytes = READ_PIECE_BYTES;

  /// The bytes the peer had taken at the last check, and the time at which that number last
  /// changed.
  private long peerTaken;

  private long peerTookNanos;

  // The links in the TimerWheel.
  long deadlineNanos = NO_DEADLINE;
  long timerTick;
  int timerSlot = -1;
  @Nullable Endpoint timerNext;
  @Nullable Endpoint timerPrevious;

  // The links in a ConnectionList.
  @Nullable ConnectionList list;
  @Nullable Endpoint listNext;
  @Nullable Endpoint listPrevious;

  /// The number of the loop's turn in which the connection was accepted.
  long openedInTurn;

  /// The time at which the connection was accepted.
  long openedNanos;

  /// True if the connection is being told to leave: refused or idle too long. It takes no place,
  /// see [Admission].
  boolean leaving;

  /// True if the connection was ended for its descriptor and is about to leave the table. It takes
  /// no place, see [Admission].
  boolean evicted;

  /// True if the connection was idle while its output was still unsent.
  boolean idleOnceSent;

  /// True if it is this connection's turn to take output memory.
  boolean roomGranted;

  private @Nullable ConnectionLeases leases;

  Endpoint(Transport transport) {
    this.transport = transport;
  }

  final boolean finished() {
    return state == State.FINISHED;
  }

  /// Returns the leases on this connection's input, creating them at the first call.
  final ConnectionLeases leases(LeaseLimits limits) {
    ConnectionLeases made = leases;
    if (made == null) {
      made = new ConnectionLeases(limits);
      leases = made;
    }
    return made;
  }

  /// Starts the time in which the peer must take a byte.
  final void beginPeerTime(long now) {
    peerTaken = UNKNOWN_TAKEN;
    peerTookNanos = now;
  }

  /// Checks the peer's progress and returns the time at which it last took bytes.
  final long peerTookNanos(int socket, long now) {
    long taken = transport.peerTakenBytes(socket);
    if (taken != peerTaken) {
      peerTaken = taken;
      peerTookNanos = now;
    }
    return peerTookNanos;
  }

  /// Ends the connection in order, see [Connection#close].
  public abstract void close();

  /// Ends the connection at once, see [Connection#abort].
  public abstract void abort();

  /// Handles the passing of the deadline.
  abstract void expired();

  // ---- for admission ------------------------------------------------------------------------

  /// Returns true if the kernel has taken all output.
  abstract boolean allSent();

  /// Returns true if all output is with the kernel, in a send that may still fall short.
  abstract boolean allSubmitted();

  /// Returns true if every request that was begun has been answered.
  abstract boolean asksForNothing();

  // ---- for output ---------------------------------------------------------------------------

  /// Marks output as staged, so that the turn flushes it.
  abstract void markDirty();

  /// Returns true if output that cannot be sent yet holds output memory.
  abstract boolean holdsOutputMemory();

  /// Waits for output memory. The peer's write timeout is suspended meanwhile.
  abstract void awaitRoom();

  /// Resumes everything that waited for output memory.
  abstract void roomCame();

  // ---- for TLS ------------------------------------------------------------------------------

  /// Returns true if input is still wanted.
  abstract boolean acceptsInput();

  /// Shows bytes to the protocol. The block does not change while it is leased.
  abstract void showInput(Block block, long base, int count);

  /// Stops receiving until [#armInput].
  abstract void pauseInput();

  /// Arms receiving if the connection wants more input and has room for it.
  abstract void armInput();

  /// Ends the input of the protocol.
  abstract void endInput();

  /// Handles a lack of memory for the connection's input.
  abstract void inputOverBudget();

  /// Clears the deadline of the handshake, which has ended.
  abstract void handshakeEnded();
}
