package sluice.sys.xdp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import sluice.sys.Mapping;
import sluice.sys.SysException;

/// A mapped ring of an AF_XDP socket, which consists of the producer and consumer indexes, flags,
/// and the requested number of descriptors. The ring is unmapped when its socket is closed.
/// Instances are confined to the thread that drives the ring.
///
/// ```
///  mapping: | … producer … consumer … flags … | descriptor 0 | descriptor 1 | …
/// ```
///
/// @param mapping the memory of the ring
/// @param producer the offset of the producer index, which is the number of descriptors produced so
///   far as a 32-bit number that wraps around
/// @param consumer the offset of the consumer index, which is the number of descriptors consumed so
///   far
/// @param flags the offset of the flags
/// @param descriptors the offset of the first descriptor
public record XdpRing(Mapping mapping, long producer, long consumer, long flags, long descriptors) {
  /// A flag indicating that the kernel processes the ring only after a system call has woken it.
  public static final int XDP_RING_NEED_WAKEUP = 1;

  /// Maps a ring.
  ///
  /// @param offsets the kernel's `struct xdp_mmap_offsets` of all four rings
  /// @param at the offset of this ring's part in it
  static XdpRing map(
      int fd, long pageOffset, MemorySegment offsets, long at, int entries, int entryBytes)
      throws SysException {
    long descriptors = offsets.get(WORD, at + XdpRingOffset.DESC);
    long bytes = descriptors + (long) entries * entryBytes;
    return new XdpRing(
        Mapping.shared(fd, pageOffset, bytes, true),
        offsets.get(WORD, at + XdpRingOffset.PRODUCER),
        offsets.get(WORD, at + XdpRingOffset.CONSUMER),
        offsets.get(WORD, at + XdpRingOffset.FLAGS),
        descriptors);
  }

  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
}
