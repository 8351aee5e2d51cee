package sluice.net;

/// The limits on the state of a stack, which are enforced for any possible input. Instances are
/// immutable and thread-safe.
///
/// @param neighbours the size of the ARP cache, which must be a power of two and at least 8
/// @param pendingFrames the maximum number of frames that wait for a reply to an ARP request
/// @param reassemblies the maximum number of packets that are being reassembled, each of which
///   requires 64 KiB
/// @param icmpPerSecond the maximum number of ICMP errors that are sent per second
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
