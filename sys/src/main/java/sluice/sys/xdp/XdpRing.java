package sluice.sys.xdp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import sluice.sys.Mapping;
import sluice.sys.SysException;

/// One ring of a socket of AF_XDP, mapped: numbers of the producer and the consumer, flags, and as
/// many descriptors as were asked for. The rings of a socket are closed with it. Owned by the
/// thread that drives the ring.
///
/// ```
///  mapping: | … producer … consumer … flags … | descriptor 0 | descriptor 1 | …
/// ```
///
/// @param mapping the memory
/// @param producer offset of the number of descriptors that were ever produced: 32 bits that wrap
/// @param consumer offset of the number of those that were consumed
/// @param flags offset of the flags
/// @param descriptors offset of the first descriptor
public record XdpRing(Mapping mapping, long producer, long consumer, long flags, long descriptors) {
  /// A flag: the kernel sleeps, and looks at the ring when it is called.
  public static final int XDP_RING_NEED_WAKEUP = 1;

  /// @param offsets those of the ring, in what the kernel has told of all four
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
