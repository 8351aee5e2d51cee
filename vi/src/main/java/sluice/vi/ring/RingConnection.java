package sluice.vi.ring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Completion;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.Token;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.vi.device.Failure;
import sluice.vi.device.Fault;

/// A TCP socket of the device. Owned by the loop's thread.
///
/// The output of its [User] is collected in one block and sent at once, while further output waits.
/// Received bytes remain in chunks of the engine until the user consumes them. If several chunks
/// are pending, receiving is cancelled so that TCP throttles the peer.
///
/// ```
///  CONNECTING ──▶ OPEN ──close()──▶ LEAVING: the last bytes, end of sending, what comes is dropped
///                   │                 │  the peer's end, or a second later
///                   └──── broken ─────┴──▶ GONE: nothing is under way, the socket is closed
/// ```
final class RingConnection implements RingLoop.Handler {
  private static final Account ACCOUNT = new Account("messages of VIs over TCP", 512L << 20);
  private static final int STAGING_BYTES = 64 << 10;
  private static final int CONNECT = 20;
  private static final int MOST_HELD = 4;
  private static final int SHUT_WR = 1;
  private static final long LEAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /// The user of a connection. Owned by the loop's thread.
  interface User {
    /// Handles the establishment of a connection that was started by this side.
    default void connected() {}

    /// Stores the bytes to be sent in the given memory.
    ///
    /// @return the number of bytes, or 0 if there are none
    int fill(MemorySegment memory);

    /// Handles that the bytes of the last [#fill] have been sent.
    default void flushed() {}

    /// Consumes received bytes.
    ///
    /// @return the number of bytes consumed; the others are offered again after [#resume]
    int take(MemorySegment from, long offset, int length);

    /// Returns true if the user has consumed input that it cannot process until more descriptors
    /// are posted.
    default boolean waits() {
      return false;
    }

    /// Handles the loss of the connection, after which nothing more arrives and nothing can be
    /// sent. Received bytes may still be pending.
    void lost(Failure why);

    /// Handles the loss of the connection after all received bytes have been consumed.
    void ended(Failure why);

    /// Handles the termination of the loop.
    void stopped();
  }

  private enum State {
    CONNECTING,
    OPEN,
    LEAVING,
    GONE
  }

  private record Held(Block block, int from, int length) {}

  private final RingLoop loop;
  private final KernelTransport sockets;
  private final int slot;
  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private User user;
  private State state = State.OPEN;
  private int socket = -1;
  private @Nullable Block staging;
  private int stagedFrom;
  private int stagedTo;
  private boolean offering;
  private boolean sending;
  private boolean receiving;
  private boolean cancelled;
  private boolean connecting;
  private boolean shut;
  private @Nullable Failure end;
  private boolean endTold;
  private long deadline = Long.MAX_VALUE;
  private boolean hasDeadline;

  private RingConnection(RingLoop loop, User user) {
    this.loop = loop;
    this.user = user;
    sockets = loop.sockets();
    slot = loop.add(this);
  }

  /// Creates a connection that a listener has accepted.
  static RingConnection accepted(RingLoop loop, int socket, User user) {
    RingConnection made = new RingConnection(loop, user);
    made.socket = socket;
    made.receive();
    return made;
  }

  /// Starts to connect.
  static RingConnection connect(RingLoop loop, SocketAddress address, User user)
      throws IOException {
    RingConnection made = new RingConnection(loop, user);
    try {
      made.state = State.CONNECTING;
      made.socket = made.sockets.connect(address, loop.token(CONNECT, made.slot));
      made.connecting = true;
      return made;
    } catch (IOException | RuntimeException e) {
      made.state = State.GONE;
      loop.remove(made.slot);
      throw e;
    }
  }

  /// Sets the next user, which receives the bytes that have not been consumed.
  void user(User next) {
    user = next;
  }

  /// Sets the time at which the connection is abandoned, according to [System#nanoTime].
  void deadline(long nanos) {
    deadline = nanos;
    hasDeadline = true;
  }

  void noDeadline() {
    hasDeadline = false;
  }

  // ---- sending -------------------------------------------------------------------------------

  /// Sends the user's bytes.
  void pump() {
    if (sending || shut || end != null || state == State.CONNECTING || state == State.GONE) {
      return;
    }
    Block memory = staging;
    if (memory == null) {
      memory = Block.allocate(ACCOUNT, STAGING_BYTES);
      if (memory == null) {
        broken(Failure.other(ACCOUNT + ": no room for another connection"));
        return;
      }
      staging = memory;
    }
    int bytes = user.fill(memory.segment());
    if (bytes > 0) {
      stagedFrom = 0;
      stagedTo = bytes;
      send();
    } else if (state == State.LEAVING) {
      shut = true;
      sockets.shutdown(socket, SHUT_WR);
    }
  }

  private void send() {
    Block memory = staging;
    if (memory != null) {
      sending = true;
      int length = stagedTo - stagedFrom;
      long token = loop.token(Token.SEND_ALL, slot);
      sockets.sendAll(socket, token, memory.segment(), stagedFrom, length);
    }
  }

  private void sent(int result) {
    sending = false;
    if (state == State.GONE) {
      finish();
    } else if (result == -Errno.EINTR || (result >= 0 && result < stagedTo - stagedFrom)) {
      stagedFrom += Math.max(0, result);
      send();
    } else if (result < 0) {
      broken(Failure.lost("sending: " + Errno.name(result)));
    } else {
      user.flushed();
      pump();
    }
  }

  // ---- receiving -----------------------------------------------------------------------------

  private void receive() {
    if (!receiving && end == null && state != State.GONE) {
      receiving = true;
      cancelled = false;
      sockets.receive(socket, loop.token(Token.RECEIVE, slot));
    }
  }

  private void received(int result, long flags) {
    if (!Completion.hasMore(flags)) {
      receiving = false;
    }
    if (Completion.hasChunk(flags)) {
      Block chunk = sockets.arena().block(Completion.chunk(flags));
      if (result > 0 && state != State.GONE) {
        held.add(new Held(chunk, Completion.offset(flags), result));
      } else {
        chunk.release();
      }
    } else if (result == 0) {
      end = Failure.PEER_ENDED;
    } else if (result != -Errno.ECANCELED
        && result != -Errno.ENOBUFS
        && result != -Errno.EINTR
        && result < 0
        && end == null) {
      end = Failure.lost("the connection was lost: " + Errno.name(result));
    }
    if (state == State.GONE) {
      finish();
      return;
    }
    resume();
  }

  /// Offers pending bytes to the user again.
  void resume() {
    if (offering) {
      return; // the user calls from within take: the loop below goes on
    }
    offering = true;
    offer();
    offering = false;
    if (state == State.GONE) {
      return;
    }
    if (end != null) {
      tellEnd();
    } else if (held.size() >= MOST_HELD) {
      if (receiving && !cancelled) {
        cancelled = true;
        sockets.cancel(loop.token(Token.RECEIVE, slot));
      }
    } else if (held.isEmpty() && state != State.CONNECTING && sockets.arena().free() > 0) {
      receive();
    }
  }

  private void offer() {
    for (Held next = held.peek(); next != null; next = held.peek()) {
      User asked = user;
      int taken =
          state == State.LEAVING
              ? next.length
              : user.take(next.block.segment(), next.from, next.length);
      if (state == State.GONE) {
        return; // the user has ended it, which gave the chunks back
      }
      Held _ = held.remove();
      if (taken < next.length) {
        held.addFirst(new Held(next.block, next.from + taken, next.length - taken));
        if (user == asked && state == State.OPEN) {
          return;
        }
      } else {
        next.block.release();
      }
    }
  }

  private void tellEnd() {
    Failure why = end;
    if (why == null) {
      return;
    }
    if (state == State.LEAVING) {
      gone();
      return;
    }
    if (!endTold) {
      endTold = true;
      user.lost(why);
    }
    if (held.isEmpty() && !user.waits() && state == State.OPEN) {
      user.ended(why);
      gone();
    }
  }

  // ---- the end -------------------------------------------------------------------------------

  /// Sends the user's last bytes, then closes the connection.
  void close() {
    if (state == State.OPEN) {
      state = State.LEAVING;
      deadline(System.nanoTime() + LEAVE_NANOS);
      pump();
      resume();
    } else if (state == State.CONNECTING) {
      gone();
    }
  }

  private void broken(Failure why) {
    if (end == null) {
      end = why;
    }
    resume();
  }

  /// Closes the connection immediately.
  void abort() {
    gone();
  }

  private void gone() {
    if (state != State.GONE) {
      state = State.GONE;
      held.forEach(each -> each.block.release());
      held.clear();
      if (receiving) {
        sockets.cancel(loop.token(Token.RECEIVE, slot));
      }
      if (sending) {
        sockets.cancel(loop.token(Token.SEND_ALL, slot));
      }
      if (connecting) {
        sockets.cancel(loop.token(CONNECT, slot));
      }
      finish();
    }
  }

  /// Closes the socket when the kernel no longer uses it.
  private void finish() {
    if (sending || receiving || connecting || socket < 0) {
      return;
    }
    sockets.close(socket);
    socket = -1;
    loop.remove(slot);
    Block memory = staging;
    staging = null;
    if (memory != null) {
      memory.release();
    }
  }

  @Override
  public void completed(int op, int result, long flags) {
    switch (op) {
      case Token.SEND_ALL -> sent(result);
      case Token.RECEIVE -> received(result, flags);
      default -> connected(result);
    }
  }

  private void connected(int result) {
    connecting = false;
    if (state == State.GONE) {
      finish();
    } else if (result < 0) {
      user.ended(new Failure(Fault.REFUSED, "connecting: " + Errno.name(result)));
      gone();
    } else {
      state = State.OPEN;
      user.connected();
      receive();
      pump();
    }
  }

  @Override
  public void sweep(long now, boolean stops) {
    if (hasDeadline && now - deadline >= 0 && state != State.GONE) {
      if (state != State.LEAVING) {
        user.ended(new Failure(Fault.TIMED_OUT, "no word of the peer in time"));
      }
      gone();
    } else if (stops && state != State.LEAVING && state != State.GONE) {
      user.stopped();
      close();
    } else if (!receiving && end == null && held.isEmpty() && state == State.OPEN) {
      resume(); // chunks of the engine were short
    }
  }

  @Override
  public void died() {
    if (state != State.GONE) {
      state = State.GONE;
      user.stopped();
    }
  }
}
