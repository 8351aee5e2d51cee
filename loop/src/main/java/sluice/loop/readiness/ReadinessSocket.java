package sluice.loop.readiness;

import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// The state of one descriptor in a [ReadinessTransport], which consists of the armed operations
/// and the events registered with the demultiplexer. Owned by the engine's thread.
///
/// There is one object per number, which is kept and reset when the number is reused. A token of 0
/// means "not armed".
final class ReadinessSocket {
  /// A waiting [sluice.loop.engine.Engine#pollOnce].
  static final class PollWait {
    final long token;
    final int events;
    @Nullable PollWait next;

    PollWait(long token, int events, @Nullable PollWait next) {
      this.token = token;
      this.events = events;
      this.next = next;
    }
  }

  final int number;

  /// True if the descriptor was opened by the transport. Otherwise it belongs to a caller that
  /// polls it through the engine, and may be closed or replaced at any time.
  boolean owned;

  boolean listener;

  /// The capacity of a listener's accept queue, or 0 if it was not set by the engine.
  int backlog;

  /// The token of the armed receive, or of a listener's armed accept.
  long readToken;

  long connectToken;
  long writableToken;

  /// The `sendAll` in progress.
  long sendToken;

  MemorySegment sendBytes = MemorySegment.NULL;
  long sendOffset;
  int sendLength;
  int sent;

  /// The address to connect to, until the connect operation has been started.
  @Nullable SocketAddress peer;

  @Nullable PollWait polls;

  /// The events watched by the demultiplexer, which sets this field.
  int registered;

  /// The index in the demultiplexer's table, or -1 if there is none. Not every demultiplexer has a
  /// table.
  int watchIndex = -1;

  /// True if an event has occurred for which no operation is waiting, so that it must no longer be
  /// watched.
  boolean unwanted;

  /// True if the socket is in the transport's list of sockets whose registration may have to be
  /// changed.
  boolean changed;

  ReadinessSocket(int number) {
    this.number = number;
  }

  /// Resets the state for a new socket with the same number.
  void open(boolean asListener) {
    reset();
    owned = true;
    listener = asListener;
  }

  /// Clears all armed operations, except waits of [sluice.loop.engine.Engine#pollOnce].
  void reset() {
    owned = false;
    listener = false;
    backlog = 0;
    readToken = 0;
    connectToken = 0;
    writableToken = 0;
    peer = null;
    registered = 0;
    unwanted = false;
    endSend();
  }

  /// Disarms the operation with `token`, other than a wait of [sluice.loop.engine.Engine#pollOnce].
  ///
  /// @return true if the operation was armed
  boolean disarm(long token) {
    if (readToken == token) {
      readToken = 0;
    } else if (sendToken == token) {
      endSend();
    } else if (writableToken == token) {
      writableToken = 0;
    } else if (connectToken == token) {
      connectToken = 0;
    } else {
      return false;
    }
    return true;
  }

  void endSend() {
    sendToken = 0;
    sendBytes = MemorySegment.NULL;
  }

  /// Returns the events for which operations are currently waiting.
  int wanted() {
    int events = 0;
    if (readToken != 0) {
      events |= Demultiplexer.IN;
    }
    if (sendToken != 0 || writableToken != 0 || (connectToken != 0 && peer == null)) {
      events |= Demultiplexer.OUT;
    }
    for (PollWait wait = polls; wait != null; wait = wait.next) {
      events |= wait.events;
    }
    return events;
  }
}
