package sluice.loop.readiness;

import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// What a [ReadinessTransport] knows about one descriptor: what is armed on it, and what the
/// demultiplexer has been told. Owned by the engine's thread.
///
/// One object per number, kept and reset when the number is used again. A token of 0 means "not
/// armed".
final class ReadinessSocket {
  /// One [sluice.loop.engine.Engine#pollOnce] that waits.
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

  /// Opened by the transport; otherwise it belongs to a caller that polls it through the engine,
  /// and may be closed or replaced behind our back.
  boolean owned;

  boolean listener;

  /// Connections that the accept queue of a listener holds; 0 when we did not choose it.
  int backlog;

  /// Token of the armed receive, or of the armed accept of a listener.
  long readToken;

  long connectToken;
  long writableToken;

  /// The `sendAll` under way.
  long sendToken;

  MemorySegment sendBytes = MemorySegment.NULL;
  long sendOffset;
  int sendLength;
  int sent;

  /// Where to connect to, until the connection is handed over.
  @Nullable SocketAddress peer;

  @Nullable PollWait polls;

  /// Events the demultiplexer watches for; set by it.
  int registered;

  /// Place in the table of the demultiplexer, -1 for none. Not each has a table.
  int watchIndex = -1;

  /// An event came for which no operation waits: from now on it must not be watched for.
  boolean unwanted;

  /// Is in the transport's list of sockets whose registration may have to change.
  boolean changed;

  ReadinessSocket(int number) {
    this.number = number;
  }

  /// Starts a new life under the same number.
  void open(boolean asListener) {
    reset();
    owned = true;
    listener = asListener;
  }

  /// Forgets everything that was armed. Waits of [sluice.loop.engine.Engine#pollOnce] stay.
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

  /// Ends what is armed under `token`, other than a wait of [sluice.loop.engine.Engine#pollOnce].
  ///
  /// @return whether there was something
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

  /// The events something waits for now.
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
