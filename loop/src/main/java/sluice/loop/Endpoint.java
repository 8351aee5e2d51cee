package sluice.loop;

import org.jspecify.annotations.Nullable;
import sluice.loop.engine.LeaseLimits;
import sluice.loop.engine.Transport;
import sluice.loop.input.ConnectionLeases;
import sluice.memory.block.Block;

/// A connection as seen by the layers below its protocol. It consists of its links in the loop's
/// lists, the state of its sends, and the operations called by these layers. [Connection] is the
/// only subclass. Owned by the loop's thread.
///
/// [TimerWheel], [ConnectionList], [OutputRoom], [Output] and TLS only depend on this class, so
/// they can be read, tested and replaced without the connection.
abstract class Endpoint {
  static final long NO_DEADLINE = Long.MIN_VALUE;

  /// The value of `shortResult` for a submitted send without a completion, which means that all
  /// bytes were sent.
  static final int TOOK_ALL = Integer.MAX_VALUE;

  /// The size of the chunks in which a file is read if its pages are not in memory or must not be
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
    /// The kernel holds no output of this connection.
    IDLE,

    /// A send was staged. The end of the turn that submits it delivers its result.
    SUBMITTED,

    /// A `sendAll` is in flight.
    WAITING,

    /// The send waits until the socket can accept more of a file.
    WRITABLE,

    /// The slow path reads the next chunk of a file.
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

  // The sizes of the last submitted send and of the next chunk.
  int submittedBytes;
  int shortResult = TOOK_ALL;
  boolean dirty;

  /// The size of the next chunk of a file that is copied.
  int pieceBytes = READ_PIECE_BYTES;

  /// The number of bytes that the peer had received at the last check, and the time at which that
  /// number last changed.
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

  /// True if the connection is being refused or was idle too long. It occupies no place, see
  /// [Admission].
  boolean leaving;

  /// True if the connection was closed for its descriptor and is about to leave the table. It
  /// occupies no place, see [Admission].
  boolean evicted;

  /// True if the connection became idle while its output was still unsent.
  boolean idleOnceSent;

  /// True if it is this connection's turn to allocate output memory.
  boolean roomGranted;

  private @Nullable ConnectionLeases leases;

  Endpoint(Transport transport) {
    this.transport = transport;
  }

  final boolean finished() {
    return state == State.FINISHED;
  }

  /// Returns the leases on this connection's input, which are created by the first call.
  final ConnectionLeases leases(LeaseLimits limits) {
    ConnectionLeases made = leases;
    if (made == null) {
      made = new ConnectionLeases(limits);
      leases = made;
    }
    return made;
  }

  /// Starts the period within which the peer must receive a byte.
  final void beginPeerTime(long now) {
    peerTaken = UNKNOWN_TAKEN;
    peerTookNanos = now;
  }

  /// Checks the peer's progress and returns the time at which it last received bytes.
  final long peerTookNanos(int socket, long now) {
    long taken = transport.peerTakenBytes(socket);
    if (taken != peerTaken) {
      peerTaken = taken;
      peerTookNanos = now;
    }
    return peerTookNanos;
  }

  /// Closes the connection gracefully, see [Connection#close].
  public abstract void close();

  /// Closes the connection immediately, see [Connection#abort].
  public abstract void abort();

  /// Handles the expiry of the deadline.
  abstract void expired();

  // ---- for admission ------------------------------------------------------------------------

  /// Returns true if the kernel has accepted all output.
  abstract boolean allSent();

  /// Returns true if all output has been submitted to the kernel, in a send that may still be
  /// partial.
  abstract boolean allSubmitted();

  /// Returns true if every request that has been started has been answered.
  abstract boolean asksForNothing();

  // ---- for output ---------------------------------------------------------------------------

  /// Marks output as staged, so that the turn flushes it.
  abstract void markDirty();

  /// Returns true if output that cannot be sent yet holds output memory.
  abstract boolean holdsOutputMemory();

  /// Waits for output memory. The peer's write timeout is suspended in the meantime.
  abstract void awaitRoom();

  /// Resumes all operations that were waiting for output memory.
  abstract void roomCame();

  // ---- for TLS ------------------------------------------------------------------------------

  /// Returns true if the connection still accepts input.
  abstract boolean acceptsInput();

  /// Shows bytes to the protocol. The block does not change while it is leased.
  abstract void showInput(Block block, long base, int count);

  /// Stops receiving until [#armInput] is called.
  abstract void pauseInput();

  /// Arms receiving if the connection accepts input and has room for it.
  abstract void armInput();

  /// Ends the input of the protocol.
  abstract void endInput();

  /// Handles a lack of memory for the connection's input.
  abstract void inputOverBudget();

  /// Clears the deadline of the handshake after it has completed.
  abstract void handshakeEnded();
}
