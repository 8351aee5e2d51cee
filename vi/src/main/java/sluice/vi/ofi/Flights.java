package sluice.vi.ofi;

import org.jspecify.annotations.Nullable;
import sluice.sys.fabric.FabricEndpoint;
import sluice.vi.device.Descriptor;

/// Keeps the operations that the provider has now, by slot. Every method is called under the lock
/// of its port.
final class Flights {
  private final @Nullable Descriptor[] descriptors;
  private final Staging.@Nullable Place[] places;
  private final boolean[] sends;

  /// The slots without an operation are the first `idleCount` of these.
  private final int[] idle;

  private int idleCount;

  Flights(int slots) {
    descriptors = new Descriptor[slots];
    places = new Staging.Place[slots];
    sends = new boolean[slots];
    idle = new int[slots];
    for (int i = 0; i < slots; i++) {
      idle[i] = slots - 1 - i;
    }
    idleCount = slots;
  }

  /// Returns the slot that [#begin] may take, or -1 when all are in use.
  int free() {
    return idleCount == 0 ? -1 : idle[idleCount - 1];
  }

  /// @param slot what [#free] returned last
  void begin(int slot, Descriptor descriptor, boolean send, Staging.@Nullable Place place) {
    idleCount--;
    descriptors[slot] = descriptor;
    sends[slot] = send;
    places[slot] = place;
  }

  @Nullable Descriptor descriptor(int slot) {
    return descriptors[slot];
  }

  boolean isSend(int slot) {
    return sends[slot];
  }

  /// @return the memory that the message went through, if it did
  Staging.@Nullable Place end(int slot) {
    Staging.Place place = places[slot];
    descriptors[slot] = null;
    places[slot] = null;
    idle[idleCount] = slot;
    idleCount++;
    return place;
  }

  /// Asks the provider to give up the receives that it has.
  ///
  /// @return how many there are
  int cancelReceives(FabricEndpoint endpoint) {
    int count = 0;
    for (int slot = 0; slot < descriptors.length; slot++) {
      if (descriptors[slot] != null && !sends[slot]) {
        endpoint.cancel(slot);
        count++;
      }
    }
    return count;
  }

  /// Forgets every operation, after the endpoint has been closed.
  ///
  /// @param released whether the provider has let go of the memory
  void endAll(boolean released) {
    for (int slot = 0; slot < descriptors.length; slot++) {
      descriptors[slot] = null;
      if (released) {
        Staging.free(places[slot]);
      }
      places[slot] = null;
    }
  }
}
