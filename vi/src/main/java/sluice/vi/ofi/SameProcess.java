package sluice.vi.ofi;

import java.util.HashMap;
import java.util.Map;
import sluice.sys.fabric.FabricEndpoint;

/// Closes endpoints whose peer is in the same process together. Any thread may call.
///
/// Between processes each side has a mapping of its own. In one process the provider `shm` lends
/// the other endpoint's mapping, and a poll after that endpoint has been closed would touch memory
/// that is gone. So the end that is first only gives its receives up, and the end that is last
/// closes both.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `ENDED` | the ending thread | under the class's monitor | the same |
final class SameProcess {
  /// Polls until all receives that were given up must have come back.
  private static final int MOST_POLLS = 10_000;

  /// The first ends, by what both sides know.
  private static final Map<Long, FabricEndpoint> ENDED = new HashMap<>();

  private SameProcess() {}

  /// Ends an endpoint.
  ///
  /// @param key the same at both ends
  /// @return whether the provider has let go of the memory
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
