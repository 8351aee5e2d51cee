package sluice.net.xdp;

import sluice.net.port.DeviceMemory;
import sluice.sys.xdp.XdpDesc;
import sluice.sys.xdp.XdpRing;

/// One ring that is shared with the kernel: a single producer, a single consumer, and this is one
/// of the two. Owned by the port's thread.
///
/// The numbers count all descriptors ever, and wrap at 2³²; a descriptor's place is the number
/// modulo the entries. A number of the other side's that cannot be, because more descriptors would
/// be between the two than there are, offers nothing.
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

  /// Where this side is, published by [#publish].
  private int own;

  /// Where the other side was when it was looked at last.
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

  /// Descriptors that may be added now.
  int room() {
    if (own - other == entries) {
      other = memory.load32(ring.consumer());
      other = isPossible(own - other) ? other : own - entries;
    }
    return entries - (own - other);
  }

  /// Adds the address of a frame to a fill ring; only when there is [#room].
  void addFrame(long frame) {
    memory.store64(ring.descriptors() + (long) (own & mask) * Long.BYTES, frame);
    own++;
  }

  /// Adds a frame to a transmit ring; only when there is [#room].
  ///
  /// @param more whether the next one belongs to the same packet
  void add(long frame, int bytes, boolean more) {
    long at = ring.descriptors() + (long) (own & mask) * XdpDesc.SIZE;
    memory.store64(at + XdpDesc.ADDR, frame);
    memory.storePlain32(at + XdpDesc.LEN, bytes);
    memory.storePlain32(at + XdpDesc.OPTIONS, more ? XdpDesc.XDP_PKT_CONTD : 0);
    own++;
  }

  /// Shows the kernel what was added.
  void publish() {
    memory.store32(ring.producer(), own);
    DeviceMemory.fence(); // the kernel sleeps after it has looked: our store goes before our look
  }

  /// Whether the kernel must be called to look at what was published.
  boolean needsWakeup() {
    return (memory.load32(ring.flags()) & XdpRing.XDP_RING_NEED_WAKEUP) != 0;
  }

  /// Descriptors that the kernel has not taken.
  int outstanding() {
    int consumed = memory.load32(ring.consumer());
    if (isPossible(own - consumed)) {
      other = consumed;
    }
    return own - other;
  }

  // ---- as consumer --------------------------------------------------------------------------

  /// Descriptors that have come and were not taken.
  int available() {
    if (own == other) {
      int produced = memory.load32(ring.producer());
      other = isPossible(produced - own) ? produced : own;
    }
    return other - own;
  }

  /// The next address of a completion ring; only when one is [#available].
  long takeFrame() {
    long frame = memory.load64(ring.descriptors() + (long) (own & mask) * Long.BYTES);
    own++;
    return frame;
  }

  private long next() {
    return ring.descriptors() + (long) (own & mask) * XdpDesc.SIZE;
  }

  /// The next address of a receive ring; [#skip] goes on.
  long frame() {
    return memory.load64(next() + XdpDesc.ADDR);
  }

  /// The length that goes with [#frame].
  int bytes() {
    return memory.loadPlain32(next() + XdpDesc.LEN);
  }

  /// Whether the packet goes on in the next descriptor.
  boolean hasMore() {
    return (memory.loadPlain32(next() + XdpDesc.OPTIONS) & XdpDesc.XDP_PKT_CONTD) != 0;
  }

  void skip() {
    own++;
  }

  /// Gives the kernel the places of what was taken.
  void release() {
    memory.store32(ring.consumer(), own);
  }
}
