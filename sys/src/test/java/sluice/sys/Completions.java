package sluice.sys;

import java.util.LinkedHashMap;
import java.util.Map;
import sluice.sys.uring.CompletionQueue;
import sluice.sys.uring.IoUring;

/// Takes completions out of a ring, for tests.
///
/// The ring's owner thread calls it.
final class Completions {
  private Completions() {}

  /// Results by user data, the last one of each; the queue is empty afterwards.
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
