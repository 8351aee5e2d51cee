package sluice.loop.readiness;

import java.util.Arrays;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.Completion;
import sluice.loop.engine.CompletionSink;

/// A queue of the completions of a turn that have yet to be delivered, in order. Owned by the
/// engine's thread.
///
/// If a sink throws an exception, the completions after the failed one are kept and delivered by
/// the next turn.
final class ReadinessResults {
  private long[] tokens = new long[64];
  private int[] results = new int[64];
  private long[] flags = new long[64];
  private int head;
  private int tail;

  void add(long token, int result, long flag) {
    if (tail == tokens.length) {
      tokens = Arrays.copyOf(tokens, 2 * tail);
      results = Arrays.copyOf(results, 2 * tail);
      flags = Arrays.copyOf(flags, 2 * tail);
    }
    tokens[tail] = token;
    results[tail] = result;
    flags[tail] = flag;
    tail++;
  }

  boolean isEmpty() {
    return head == tail;
  }

  /// Delivers the oldest completion to `sink`. It is removed even if the sink throws an exception.
  void deliverOne(CompletionSink sink) {
    int index = head++;
    if (head == tail) { // before the sink, which may close the engine
      head = 0;
      tail = 0;
    }
    sink.complete(tokens[index], results[index], flags[index]);
  }

  /// Releases the chunks of completions that are not going to be delivered.
  void discard(ChunkArena arena) {
    for (; head < tail; head++) {
      if (Completion.hasChunk(flags[head])) {
        arena.block(Completion.chunk(flags[head])).release();
      }
    }
    head = 0;
    tail = 0;
  }
}
