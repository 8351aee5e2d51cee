package sluice.net.xdp;

import sluice.net.port.DeviceMemory;
import sluice.sys.xdp.XdpDesc;
import sluice.sys.xdp.XdpRing;

/// A ring with a single producer and a single consumer that is shared with the kernel. This object
/// represents one of the two sides. Instances are owned by the port's thread.
///
/// The indices count all descriptors since the ring was created and wrap around at 2³². The slot of
/// a descriptor is its index modulo the number of entries. If the index of the other side is
/// impossible because there would be more descriptors than entries, it is ignored.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | producer | producing side | acquire | release |
/// | consumer | consuming side | acquire | release |
/// | flags | kernel | acquire | |
/// | descriptors | producing side | opaque | opaque |
final class DeviceRing {
  private final DeviceMemory memory;
  private final XdpRing ring;
  private final int entries;
  private final int mask;

  /// The index of this side, which is made visible to the other side by [#publish].
  private int own;

  /// The index of the other side at the time it was last read.
  private int other;

  DeviceRing(XdpRing ring, int entries) {
    this.memory = DeviceMemory.of(ring.mapping());
    this.ring = ring;
    this.entries = entries;
    this.mask = entries - 1;
  }

  private boolean isPossible(int descriptors) {
    return descriptors >= 0 && descriptors <= entries;
  }

  // ---- as producer --------------------------------------------------------------------------

  /// Returns the number of descriptors that can be added.
  int room() {
    if (own - other == entries) {
      other = memory.load32(ring.consumer());
      other = isPossible(own - other) ? other : own - entries;
    }
    return entries - (own - other);
  }

  /// Adds a frame to a fill ring. The caller must have checked [#room].
  void addFrame(long frame) {
    memory.store64(ring.descriptors() + (long) (own & mask) * Long.BYTES, frame);
    own++;
  }

  /// Adds a frame to a transmit ring. The caller must have checked [#room].
  ///
  /// @param more true if the packet continues in the next descriptor
  void add(long frame, int bytes, boolean more) {
    long at = ring.descriptors() + (long) (own & mask) * XdpDesc.SIZE;
    memory.store64(at + XdpDesc.ADDR, frame);
    memory.storePlain32(at + XdpDesc.LEN, bytes);
    memory.storePlain32(at + XdpDesc.OPTIONS, more ? XdpDesc.XDP_PKT_CONTD : 0);
    own++;
  }

  /// Makes the added descriptors visible to the kernel.
  void publish() {
    memory.store32(ring.producer(), own);
    // The kernel goes to sleep after it has read the index. Therefore the store of the index must
    // precede the read of the flag.
    DeviceMemory.fence();
  }

  /// Returns true if the kernel needs a system call to process the published descriptors.
  boolean needsWakeup() {
    return (memory.load32(ring.flags()) & XdpRing.XDP_RING_NEED_WAKEUP) != 0;
  }

  /// Returns the number of descriptors that have not been consumed by the kernel.
  int outstanding() {
    int consumed = memory.load32(ring.consumer());
    if (isPossible(own - consumed)) {
      other = consumed;
    }
    return own - other;
  }

  // ---- as consumer --------------------------------------------------------------------------

  /// Returns the number of descriptors that can be consumed.
  int available() {
    if (own == other) {
      int produced = memory.load32(ring.producer());
      other = isPossible(produced - own) ? produced : own;
    }
    return other - own;
  }

  /// Consumes the next address of a completion ring. The caller must have checked [#available].
  long takeFrame() {
    long frame = memory.load64(ring.descriptors() + (long) (own & mask) * Long.BYTES);
    own++;
    return frame;
  }

  private long next() {
    return ring.descriptors() + (long) (own & mask) * XdpDesc.SIZE;
  }

  /// Returns the next address of a receive ring. The position is advanced by [#skip].
  long frame() {
    return memory.load64(next() + XdpDesc.ADDR);
  }

  /// Returns the length of the frame that is returned by [#frame].
  int bytes() {
    return memory.loadPlain32(next() + XdpDesc.LEN);
  }

  /// Returns true if the packet continues in the next descriptor.
  boolean hasMore() {
    return (memory.loadPlain32(next() + XdpDesc.OPTIONS) & XdpDesc.XDP_PKT_CONTD) != 0;
  }

  void skip() {
    own++;
  }

  /// Returns the slots of the consumed descriptors to the kernel.
  void release() {
    memory.store32(ring.consumer(), own);
  }
}
