package sluice.loop;

import java.util.ArrayDeque;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.Completion;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// What becomes of a completed receive, and of a receive that found no free chunk. Owned by the
/// loop's thread.
final class Receiver {
  private static final long STARVED_RETRY_NANOS = 5_000_000L;

  private final Loop loop;
  private final Connections connections;

  /// Connections whose receive waits for a chunk, the longest first.
  private final ArrayDeque<Connection> starved = new ArrayDeque<>();

  Receiver(Loop loop, Connections connections) {
    this.loop = loop;
    this.connections = connections;
  }

  /// @param arena of the transport that delivers
  void received(ChunkArena arena, long token, int result, int flags) {
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
      loop.openBatch();
      LoopCounters counters = loop.counters();
      counters.receives++;
      counters.receivedBytes += result;
      connection.input.received(chunk, 0, result);
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
    if (result == 0) {
      connection.input.fin();
    } else if (result == -Errno.ENOBUFS) {
      loop.counters().starvedReceives++;
      if (!connection.input.starved) {
        connection.input.starved = true;
        starved.add(connection);
      }
    } else if (result != -Errno.ECANCELED) {
      connection.abort();
    }
  }

  /// @return how long the loop may sleep while a connection starves; negative when none does
  long retryNanos() {
    return starved.isEmpty() ? -1 : STARVED_RETRY_NANOS;
  }

  /// Arms as many receives of a transport as its arena has chunks.
  void feedStarved(ChunkArena arena) {
    arena.reclaim();
    int free = arena.free();
    for (int left = starved.size(); left > 0 && free > 0; left--) {
      Connection connection = starved.remove();
      if (connection.transport.arena() == arena) {
        free--;
        connection.input.starved = false;
        connection.input.arm();
      } else {
        starved.add(connection);
      }
    }
  }
}
