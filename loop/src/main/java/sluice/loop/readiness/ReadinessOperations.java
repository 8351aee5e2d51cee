package sluice.loop.readiness;

import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.EALREADY;
import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.ECANCELED;
import static sluice.sys.Errno.ECONNABORTED;
import static sluice.sys.Errno.EINPROGRESS;
import static sluice.sys.Errno.EMFILE;
import static sluice.sys.Errno.ENOBUFS;
import static sluice.sys.Errno.EPERM;

import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.Completion;

/// The operations of a readiness engine. This class performs staged operations, continues armed
/// operations when the demultiplexer reports that a socket is ready, and produces their
/// completions. Owned by the engine's thread.
///
/// The demultiplexer is updated lazily. A socket is registered for its first receive and remains
/// registered. While no receive is armed, the registration is kept until an event occurs that no
/// operation waits for (`unwanted`), so that arming and disarming require no system call. `POLLOUT`
/// is only watched while a `sendAll`, a connect or `awaitWritable` is waiting. Changes are
/// collected and applied once before the engine waits.
final class ReadinessOperations {
  /// The number of chunks that one socket may fill per turn before other sockets are served.
  private static final int RECEIVES_PER_TURN = 4;

  private static final int ACCEPTS_PER_TURN = 256;

  private int acceptsPerTurn = ACCEPTS_PER_TURN;

  /// The number of open descriptors above which each turn accepts a single client.
  private int acceptsUpTo = Integer.MAX_VALUE;

  private final Demultiplexer demultiplexer;
  private final ReadinessSockets device;
  private final ChunkPool pool;
  private final ReadinessResults results;
  private final ReadinessTokens tokens = new ReadinessTokens();
  private final ReadinessTable table;
  private final ReadinessPolls polls;

  ReadinessOperations(
      Demultiplexer demultiplexer,
      ReadinessSockets device,
      ChunkPool pool,
      ReadinessResults results,
      int maxSockets) {
    this.demultiplexer = demultiplexer;
    this.device = device;
    this.pool = pool;
    this.results = results;
    this.table = new ReadinessTable(maxSockets);
    this.polls = new ReadinessPolls(table, tokens, results);
  }

  boolean full() {
    return table.full();
  }

  ReadinessSocket opened(int number, boolean listener) {
    ReadinessSocket before = table.find(number);
    if (before != null && before.polls != null) {
      polls.endAll(before, -EBADF); // their descriptor is gone, and its number is ours now
    }
    if (before != null && before.watchIndex >= 0) {
      demultiplexer.update(before, 0);
    }
    return table.opened(number, listener);
  }

  boolean isOpen(int number) {
    return table.findOpen(number) != null;
  }

  void closeAll() {
    for (int number = 0; number < table.limit(); number++) {
      ReadinessSocket socket = table.findOpen(number);
      if (socket != null) {
        close(socket);
      }
    }
  }

  // ---- what was staged ----------------------------------------------------------------------

  void handOver(ReadinessStage stage) {
    try {
      carryOut(stage);
    } finally {
      stage.clear(); // also when a caller's segment has been closed: that must not come again
    }
  }

  private void carryOut(ReadinessStage stage) {
    int count = stage.count();
    for (int i = 0; i < count; i++) {
      int operation = stage.operation(i);
      if (operation == ReadinessStage.CANCEL) {
        cancel(stage.token(i));
      } else if (operation == ReadinessStage.POLL) {
        polls.add(stage.socket(i), stage.length(i), stage.token(i));
      } else if (operation != ReadinessStage.RANGE) {
        ReadinessSocket socket = table.findOpen(stage.socket(i));
        if (socket != null) {
          begin(socket, operation, stage, i);
        } else if (stage.token(i) != 0) {
          results.add(stage.token(i), -EBADF, 0);
        }
      }
    }
  }

  private void begin(ReadinessSocket socket, int operation, ReadinessStage stage, int i) {
    long token = stage.token(i);
    switch (operation) {
      case ReadinessStage.ACCEPT, ReadinessStage.RECEIVE -> armRead(socket, token);
      case ReadinessStage.SEND ->
          sent(
              token,
              device.send(socket.number, stage.segment(i), stage.offset(i), stage.length(i)),
              stage.length(i));
      case ReadinessStage.SEND_VECTOR -> sendVector(socket, stage, i, false);
      case ReadinessStage.SEND_VECTOR_MORE -> sendVector(socket, stage, i, true);
      case ReadinessStage.SEND_ALL ->
          sendAll(socket, token, stage.segment(i), stage.offset(i), stage.length(i));
      case ReadinessStage.AWAIT_WRITABLE -> awaitWritable(socket, token);
      case ReadinessStage.SHUTDOWN -> device.shutdown(socket.number, stage.length(i));
      case ReadinessStage.CONNECT -> connect(socket, token);
      case ReadinessStage.CLOSE -> close(socket);
      case ReadinessStage.CLOSE_LISTENER -> acceptRestAndClose(socket);
      default -> throw new AssertionError("operation " + operation);
    }
  }

  private void armRead(ReadinessSocket socket, long token) {
    if (socket.readToken != 0) {
      results.add(token, -EALREADY, 0);
      return;
    }
    socket.readToken = token;
    socket.unwanted = false;
    tokens.put(token, socket.number);
    table.changed(socket);
  }

  private void sent(long token, int result, int length) {
    if (result != length) {
      results.add(token, result, 0);
    }
  }

  private void sendVector(ReadinessSocket socket, ReadinessStage stage, int i, boolean more) {
    int ranges = stage.length(i);
    int length = 0;
    for (int range = i + 1; range <= i + ranges; range++) {
      length += stage.length(range);
    }
    sent(stage.token(i), device.sendVector(socket.number, stage, i + 1, ranges, more), length);
  }

  private void sendAll(
      ReadinessSocket socket, long token, MemorySegment bytes, long offset, int length) {
    if (socket.sendToken != 0) {
      results.add(token, -EALREADY, 0);
      return;
    }
    socket.sendToken = token;
    socket.sendBytes = bytes;
    socket.sendOffset = offset;
    socket.sendLength = length;
    socket.sent = 0;
    if (!continueSend(socket)) {
      tokens.put(token, socket.number);
      table.changed(socket);
    }
  }

  /// Continues a `sendAll`.
  ///
  /// @return true if the send has completed
  private boolean continueSend(ReadinessSocket socket) {
    int left = socket.sendLength - socket.sent;
    int result =
        device.send(socket.number, socket.sendBytes, socket.sendOffset + socket.sent, left);
    if (result == -EAGAIN) {
      return false;
    }
    if (result >= 0) {
      socket.sent += result;
      if (result < left) {
        return false;
      }
    }
    results.add(socket.sendToken, result < 0 ? result : socket.sendLength, 0);
    socket.endSend();
    return true;
  }

  private void awaitWritable(ReadinessSocket socket, long token) {
    if (socket.writableToken != 0) {
      results.add(token, -EALREADY, 0);
      return;
    }
    socket.writableToken = token;
    tokens.put(token, socket.number);
    table.changed(socket);
  }

  private void connect(ReadinessSocket socket, long token) {
    SocketAddress peer = socket.peer;
    socket.peer = null;
    int result = peer == null ? -EALREADY : device.connect(socket.number, peer);
    if (result == -EINPROGRESS) {
      socket.connectToken = token;
      tokens.put(token, socket.number);
      table.changed(socket);
    } else {
      results.add(token, result, 0);
    }
  }

  /// Closes a socket. The kernel removes the registration together with the last descriptor.
  private void close(ReadinessSocket socket) {
    forget(socket.readToken);
    forget(socket.sendToken);
    forget(socket.writableToken);
    forget(socket.connectToken);
    if (socket.watchIndex >= 0) {
      demultiplexer.update(socket, 0);
    }
    device.close(socket.number);
    table.closed(socket);
  }

  private void forget(long token) {
    if (token != 0) {
      tokens.remove(token);
    }
  }

  private void cancel(long token) {
    int number = tokens.get(token);
    ReadinessSocket socket = table.find(number);
    if (socket == null) {
      return;
    }
    if (socket.disarm(token)) {
      end(token, -ECANCELED);
    } else {
      polls.cancel(socket, token);
    }
    table.changed(socket);
  }

  // ---- what is ready ------------------------------------------------------------------------

  /// Continues the operations that wait for `events` on a socket. Late and spurious events are
  /// harmless.
  void ready(int number, int events) {
    ReadinessSocket socket = table.find(number);
    if (socket == null) {
      return;
    }
    if (socket.polls != null) {
      polls.ready(socket, events);
    }
    if (!socket.owned) {
      socket.registered = 0; // reported once
      table.changed(socket);
      return;
    }
    boolean failed = (events & (Demultiplexer.ERR | Demultiplexer.HUP)) != 0;
    if (failed || (events & Demultiplexer.OUT) != 0) {
      writeReady(socket, events);
    }
    if (failed || (events & Demultiplexer.IN) != 0) {
      if (socket.readToken == 0) {
        socket.unwanted = true;
        table.changed(socket);
      } else if (socket.listener) {
        acceptReady(socket);
      } else {
        receiveReady(socket);
      }
    }
  }

  private void writeReady(ReadinessSocket socket, int events) {
    long connecting = socket.connectToken;
    if (connecting != 0) {
      int result = device.finishConnect(socket.number);
      if (result != -EINPROGRESS) {
        socket.connectToken = 0;
        end(connecting, result);
        // A selector distinguishes between connected and writable.
        demultiplexer.update(socket, 0);
      }
    }
    long sending = socket.sendToken;
    if (sending != 0 && continueSend(socket)) {
      tokens.remove(sending);
    }
    long waiting = socket.writableToken;
    if (waiting != 0) {
      socket.writableToken = 0;
      end(waiting, events);
    }
    table.changed(socket);
  }

  private void acceptReady(ReadinessSocket listener) {
    accept(listener, acceptsPerTurn, acceptsUpTo);
  }

  /// Implements [sluice.loop.engine.KernelTransport#acceptAtMost].
  void acceptAtMost(int count, int used) {
    acceptsUpTo = used;
    acceptsPerTurn = Math.clamp(count, 1, ACCEPTS_PER_TURN);
  }

  /// Implements [sluice.loop.engine.Transport#acceptRestAndClose]. A queue holds one connection
  /// more than its backlog. Connections that arrive in the meantime do not count.
  private void acceptRestAndClose(ReadinessSocket listener) {
    demultiplexer.forget(listener);
    if (listener.readToken != 0) {
      accept(listener, listener.backlog + 1, Integer.MAX_VALUE);
    }
    long token = listener.readToken;
    close(listener);
    if (token != 0) {
      results.add(token, -ECANCELED, 0);
    }
  }

  private void accept(ReadinessSocket listener, int most, int upTo) {
    for (int i = 0; i < most; i++) {
      int result = full() ? -EMFILE : device.accept(listener.number);
      if (result >= 0) {
        opened(result, false);
        results.add(listener.readToken, result, Completion.MORE);
        if (device.descriptorsUsed(result) > upTo) {
          return;
        }
      } else if (result == -EAGAIN) {
        return;
      } else if (result != -ECONNABORTED) { // a peer that gave up is no error of the listener
        endRead(listener, result);
        return;
      }
    }
  }

  /// Receives from a socket. If a receive does not fill its chunk, it has emptied the socket, so a
  /// second call is not required.
  private void receiveReady(ReadinessSocket socket) {
    for (int i = 0; i < RECEIVES_PER_TURN; i++) {
      int chunk = pool.peek();
      if (chunk < 0) {
        if (i == 0) {
          endRead(socket, -ENOBUFS);
        }
        return;
      }
      int result = device.receive(socket.number, chunk);
      if (result == -EAGAIN) {
        return;
      }
      if (result <= 0) {
        endRead(socket, result);
        return;
      }
      pool.lend(chunk);
      results.add(socket.readToken, result, Completion.withChunk(chunk, 0, true));
      if (result < pool.chunkBytes()) {
        return;
      }
    }
  }

  private void endRead(ReadinessSocket socket, int result) {
    long token = socket.readToken;
    socket.readToken = 0;
    end(token, result);
  }

  private void end(long token, int result) {
    tokens.remove(token);
    results.add(token, result, 0);
  }

  // ---- what is watched for ------------------------------------------------------------------

  /// Passes all changes made since the last call to the demultiplexer.
  void register() {
    for (int i = 0; i < table.changes(); i++) {
      ReadinessSocket socket = table.change(i);
      int wanted = socket.wanted();
      if (socket.owned && !socket.unwanted) {
        wanted |= socket.registered & Demultiplexer.IN;
      }
      if (wanted != socket.registered || !socket.owned) {
        int result = demultiplexer.update(socket, wanted);
        if (result < 0) {
          refused(socket, wanted, result);
        }
      }
    }
    table.clearChanges();
  }

  /// Ends every operation on a socket that is rejected by the demultiplexer. Regular files (EPERM
  /// from epoll) are always ready, as defined by `poll(2)`.
  private void refused(ReadinessSocket socket, int wanted, int result) {
    if (result == -EPERM) {
      polls.ready(socket, wanted & (Demultiplexer.IN | Demultiplexer.OUT));
    }
    polls.endAll(socket, result);
    refuse(socket, socket.readToken, result);
    refuse(socket, socket.sendToken, result);
    refuse(socket, socket.writableToken, result);
    refuse(socket, socket.connectToken, result);
  }

  private void refuse(ReadinessSocket socket, long token, int result) {
    if (token != 0 && socket.disarm(token)) {
      end(token, result);
    }
  }
}
