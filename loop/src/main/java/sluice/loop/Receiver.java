package sluice.loop;

import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.Completion;
import sluice.loop.engine.ReceiveEnd;
import sluice.loop.engine.StarvedReceives;
import sluice.loop.turn.Turn;
import sluice.memory.block.Block;

/// Handles completed receives, and receives for which no chunk was free. Owned by the loop's
/// thread.
final class Receiver {
  private static final long STARVED_RETRY_NANOS = 5_000_000L;

  private final Turn turn;
  private final LoopCounters counters;
  private final Connections connections;

  private final StarvedReceives<Connection> starved = new StarvedReceives<>();

  Receiver(Turn turn, LoopCounters counters, Connections connections) {
    this.turn = turn;
    this.counters = counters;
    this.connections = connections;
  }

  /// @param arena the arena of the transport that delivers the completion
  void received(ChunkArena arena, long token, int result, long flags) {
    Connection connection = connections.get(token);
    Block chunk = Completion.hasChunk(flags) ? arena.block(Completion.chunk(flags)) : null;
    if (connection == null) {
      if (chunk != null) {
        chunk.release();
      }
      return;
    }
    if (!Completion.hasMore(flags)) {
      connection.input.disarmed();
    }
    if (result > 0 && chunk != null) {
      turn.openBatch();
      counters.receives++;
      counters.receivedBytes += result;
      connection.input.received(chunk, Completion.offset(flags), result);
    }
    if (chunk != null) {
      chunk.release();
    }
    if (result <= 0) {
      failed(connection, result);
    }
    if (connection.finished()) {
      connection.finish();
    } else {
      connection.input.arm();
    }
  }

  private void failed(Connection connection, int result) {
    switch (ReceiveEnd.of(result)) {
      case OF_STREAM -> connection.input.fin();
      case STARVED -> {
        counters.starvedReceives++;
        if (!connection.input.starved) {
          connection.input.starved = true;
          starved.add(connection);
        }
      }
      case NONE, PASSING -> {}
      case FAILED -> connection.abort();
    }
  }

  /// Returns the time for which the loop may sleep while a connection starves.
  ///
  /// @return the time in nanoseconds, or a negative value if no connection starves
  long retryNanos() {
    return starved.isEmpty() ? -1 : STARVED_RETRY_NANOS;
  }

  /// Arms as many starved receives of a transport as there are free chunks in its arena.
  void feedStarved(ChunkArena arena) {
    arena.reclaim();
    if (!starved.isEmpty()) {
      starved.feed(
          arena.free(), connection -> connection.transport.arena() == arena, Receiver::arm);
    }
  }

  private static void arm(Connection connection) {
    connection.input.starved = false;
    connection.input.arm();
  }
}
