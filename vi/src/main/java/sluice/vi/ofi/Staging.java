package sluice.vi.ofi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.fabric.FabricEndpoint;

/// Memory through which messages of several segments are copied, so that the provider accesses a
/// single range. Guarded by the lock of the port.
///
/// Limits: buffers are retained until the port is closed. Their number is limited to the maximum
/// number of concurrently posted descriptors, and their total size in all ports to 256 MiB.
final class Staging {
  private static final Account ACCOUNT = new Account("messages of several pieces", 256L << 20);

  /// A buffer that is registered with the provider.
  record Place(Block block, long key) {
    MemorySegment memory() {
      return block.segment();
    }
  }

  private final FabricEndpoint endpoint;
  private final int bytes;
  private final ArrayDeque<Place> idle = new ArrayDeque<>();

  /// @param bytes the maximum message length
  Staging(FabricEndpoint endpoint, int bytes) {
    this.endpoint = endpoint;
    this.bytes = bytes;
  }

  /// @throws IOException if the limit has been reached
  Place take() throws IOException {
    Place place = idle.poll();
    if (place != null) {
      return place;
    }
    Block block = Block.allocate(ACCOUNT, bytes);
    if (block == null) {
      throw new IOException(
          ACCOUNT + "; " + bytes + " more do not fit. Fix: fewer descriptors of several pieces");
    }
    try {
      return new Place(block, endpoint.register(block.segment(), true));
    } catch (IOException e) {
      block.release();
      throw e;
    }
  }

  void giveBack(Place place) {
    idle.add(place);
  }

  /// Frees the idle buffers after the endpoint has been closed.
  void close() {
    Place place = idle.poll();
    while (place != null) {
      place.block().release();
      place = idle.poll();
    }
  }

  /// Frees the buffer of an operation after the endpoint has been closed.
  static void free(@Nullable Place place) {
    if (place != null) {
      place.block().release();
    }
  }
}
