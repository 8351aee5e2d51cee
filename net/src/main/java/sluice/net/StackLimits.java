package sluice.net;

/// The limits on the state of a stack, which hold for all possible input. Immutable and
/// thread-safe.
///
/// @param neighbours the size of the ARP cache: a power of two, at least 8
/// @param pendingFrames the number of frames that wait for ARP
/// @param reassemblies the number of packets that are reassembled at a time, 64 KiB each
/// @param icmpPerSecond the number of ICMP errors sent per second
public record StackLimits(int neighbours, int pendingFrames, int reassemblies, int icmpPerSecond) {
  public static final StackLimits DEFAULT = new StackLimits(1024, 64, 16, 100);

  /// Creates limits.
  ///
  /// @throws IllegalArgumentException if a limit is out of range
  public StackLimits {
    if (neighbours < 8 || Integer.bitCount(neighbours) != 1) {
      throw new IllegalArgumentException("neighbours: a power of two from 8, not " + neighbours);
    }
    if (pendingFrames < 1 || reassemblies < 1 || icmpPerSecond < 0) {
      throw new IllegalArgumentException("limits must be positive: " + pendingFrames);
    }
  }
}
