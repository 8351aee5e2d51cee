package sluice.vi.ofi;

import java.util.HashMap;
import java.util.Map;
import sluice.sys.fabric.FabricEndpoint;

/// Closes two endpoints together if both are in this process. Any thread may call.
///
/// In different processes each side has its own mapping. Within a process the provider `shm` uses
/// the mapping of the other endpoint, so a poll after that endpoint has been closed would access
/// unmapped memory. Therefore the first end only cancels its receives, and the last end closes both
/// endpoints.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `ENDED` | the ending thread | under the class's monitor | the same |
final class SameProcess {
  /// The maximum number of polls until all cancelled receives must have been returned.
  private static final int MOST_POLLS = 10_000;

  /// The ends that were closed first, by the key that both sides know.
  private static final Map<Long, FabricEndpoint> ENDED = new HashMap<>();

  private SameProcess() {}

  /// Ends an endpoint.
  ///
  /// @param key the key, which is the same at both ends
  /// @return true if the provider no longer accesses the memory
  static synchronized boolean end(long key, FabricEndpoint endpoint, Flights flights) {
    FabricEndpoint first = ENDED.remove(key);
    if (first != null) {
      first.close();
      return endpoint.release();
    }
    ENDED.put(key, endpoint);
    int left = flights.cancelReceives(endpoint);
    for (int i = 0; left > 0 && i < MOST_POLLS; i++) {
      int count = endpoint.poll();
      for (int at = 0; at < count; at++) {
        int slot = endpoint.slotOf(at);
        left -= slot >= 0 && flights.descriptor(slot) != null && !flights.isSend(slot) ? 1 : 0;
      }
    }
    return left == 0;
  }
}
