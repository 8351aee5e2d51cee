package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.ENOBUFS;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import sluice.loop.engine.Completion;
import sluice.loop.engine.SendVector;
import sluice.loop.engine.Transport;
import sluice.memory.block.Block;

/// An echo server for many sockets. It sends vectors out of the chunks in which the bytes arrived;
/// the rest of a partial send goes by `sendAll`. Owned by the test's thread.
final class EngineContractEchoServer {
  private static final long RECEIVE = 1L << 41;
  private static final long SEND = 1L << 42;
  private static final long SEND_ALL = 1L << 43;

  private record Piece(Block block, int offset, int length) {}

  private static final class Connection {
    final int socket;
    final int index;

    /// The pieces that were received but not sent.
    final Deque<Piece> pieces = new ArrayDeque<>();

    /// The number of pieces that the send in flight covers; 0 if there is none.
    int covered;

    /// The number of bytes that the send in flight took; -1 while it has been silent.
    int taken = -1;

    boolean sendingAll;
    boolean armed;

    Connection(int socket, int index) {
      this.socket = socket;
      this.index = index;
    }
  }

  private final EngineContractRig rig;
  private final Transport sockets;
  private final SendVector vector = new SendVector();
  private final List<Connection> connections = new ArrayList<>();

  EngineContractEchoServer(EngineContractRig rig) throws IOException {
    this.rig = rig;
    this.sockets = rig.sockets();
  }

  void add(int socket) {
    connections.add(new Connection(socket, connections.size()));
  }

  void turn(long timeoutNanos) throws IOException {
    for (Connection connection : connections) {
      if (!connection.armed && sockets.arena().free() > 0) {
        connection.armed = true;
        sockets.receive(connection.socket, RECEIVE + connection.index);
      }
      send(connection);
    }
    rig.engine().turn(timeoutNanos, this::complete);
    connections.forEach(this::settle);
  }

  private void send(Connection connection) {
    if (connection.covered > 0 || connection.pieces.isEmpty()) {
      return;
    }
    vector.clear();
    for (Piece piece : connection.pieces) {
      if (connection.covered < SendVector.LIMIT) {
        vector.add(piece.block().segment(), piece.offset(), piece.length());
        connection.covered++;
      }
    }
    sockets.sendVector(connection.socket, SEND + connection.index, vector);
  }

  private void complete(long token, int result, long flags) {
    Connection connection = connections.get((int) token & 0xff);
    if ((token & RECEIVE) != 0) {
      received(connection, result, flags);
    } else if ((token & SEND) != 0) {
      assertThat(connection.covered).isPositive();
      assertThat(result == -EAGAIN || result >= 0).isTrue();
      connection.taken = Math.max(0, result);
    } else {
      assertThat(token).isEqualTo(SEND_ALL + connection.index);
      assertThat(result).isEqualTo(connection.pieces.getFirst().length());
      connection.pieces.removeFirst().block().release();
      connection.covered--;
      connection.sendingAll = false;
    }
  }

  private void received(Connection connection, int result, long flags) {
    connection.armed = Completion.hasMore(flags);
    if (result == -ENOBUFS) {
      assertThat(connection.armed).isFalse();
      return;
    }
    assertThat(result).isPositive();
    Block block = sockets.arena().block(Completion.chunk(flags));
    connection.pieces.add(new Piece(block, Completion.offset(flags), result));
  }

  /// Settles a send after the turn that handed it over: silence means that all bytes were sent.
  private void settle(Connection connection) {
    if (connection.covered == 0 || connection.sendingAll) {
      return;
    }
    boolean silent = connection.taken < 0;
    int taken = connection.taken;
    while (connection.covered > 0 && (silent || taken >= connection.pieces.getFirst().length())) {
      Piece piece = connection.pieces.removeFirst();
      taken -= piece.length();
      piece.block().release();
      connection.covered--;
    }
    connection.taken = -1;
    if (connection.covered > 0) {
      sendRest(connection, taken);
    }
  }

  private void sendRest(Connection connection, int from) {
    Piece piece = connection.pieces.removeFirst();
    MemorySegment bytes = piece.block().segment();
    int rest = piece.length() - from;
    int begin = piece.offset() + from;
    connection.pieces.addFirst(new Piece(piece.block(), begin, rest));
    connection.sendingAll = true;
    connection.covered = 1; // the pieces behind it are sent again
    sockets.sendAll(connection.socket, SEND_ALL + connection.index, bytes, begin, rest);
  }
}
