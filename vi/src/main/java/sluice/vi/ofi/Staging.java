package sluice.vi.ofi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.fabric.FabricEndpoint;

/// Memory that messages of several pieces go through: the provider sees one range. Under the lock
/// of its port.
///
/// Limits: pieces of memory are kept until the port closes, at most as many as descriptors were
/// posted at one time; all ports together hold 256 MiB.
final class Staging {
  private static final Account ACCOUNT = new Account("messages of several pieces", 256L << 20);

  /// Represents one piece of memory.
  record Place(Block block, long key) {
    MemorySegment memory() {
      return block.segment();
    }
  }

  private final FabricEndpoint endpoint;
  private final int bytes;
  private final ArrayDeque<Place> idle = new ArrayDeque<>();

  /// @param bytes longest message
  Staging(FabricEndpoint endpoint, int bytes) {
    this.endpoint = endpoint;
    this.bytes = bytes;
  }

  /// @throws IOException when there is no room
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

  /// Frees what is idle, after the endpoint has been closed.
  void close() {
    Place place = idle.poll();
    while (place != null) {
      place.block().release();
      place = idle.poll();
    }
  }

  /// Frees a piece of memory that an operation had, after the endpoint has been closed.
  static void free(@Nullable Place place) {
    if (place != null) {
      place.block().release();
    }
  }
}
