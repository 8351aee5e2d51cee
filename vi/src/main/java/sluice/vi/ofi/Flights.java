package sluice.vi.ofi;

import org.jspecify.annotations.Nullable;
import sluice.sys.fabric.FabricEndpoint;
import sluice.vi.device.Descriptor;

/// Tracks the operations that the provider currently owns, by slot. All methods are called under
/// the lock of the port.
final class Flights {
  private final @Nullable Descriptor[] descriptors;
  private final Staging.@Nullable Place[] places;
  private final boolean[] sends;

  /// The array whose first `idleCount` elements are the free slots.
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

  /// Returns the slot that the next call of [#begin] may use, or -1 if all slots are in use.
  int free() {
    return idleCount == 0 ? -1 : idle[idleCount - 1];
  }

  /// @param slot the result of the last call of [#free]
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

  /// @return the memory through which the message was copied, or null if there is none
  Staging.@Nullable Place end(int slot) {
    Staging.Place place = places[slot];
    descriptors[slot] = null;
    places[slot] = null;
    idle[idleCount] = slot;
    idleCount++;
    return place;
  }

  /// Requests that the provider cancel its pending receives.
  ///
  /// @return the number of pending receives
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

  /// Discards all operations after the endpoint has been closed.
  ///
  /// @param released true if the provider no longer accesses the memory
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
