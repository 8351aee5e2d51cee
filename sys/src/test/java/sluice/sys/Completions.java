package sluice.sys;

import java.util.LinkedHashMap;
import java.util.Map;
import sluice.sys.uring.CompletionQueue;
import sluice.sys.uring.IoUring;

/// Takes completions out of a ring, for tests.
///
/// Confined to the ring's owner thread.
final class Completions {
  private Completions() {}

  /// Returns the results by user data, the last one for each, and empties the queue.
  static Map<Long, Integer> results(IoUring ring) {
    Map<Long, Integer> results = new LinkedHashMap<>();
    CompletionQueue queue = ring.completion();
    int count = queue.available();
    for (int i = 0; i < count; i++) {
      results.put(queue.userData(i), queue.result(i));
    }
    queue.advance(count);
    return results;
  }
}
