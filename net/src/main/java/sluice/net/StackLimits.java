package sluice.net;

/// What a stack holds at most, whatever comes. Immutable: any thread may use it.
///
/// @param neighbours stations whose hardware address is remembered, a power of two, at least 8
/// @param pendingFrames frames that wait for the hardware address of their station
/// @param reassemblies packets whose fragments are collected at one time, 64 KiB each
/// @param icmpPerSecond errors that are sent
public record StackLimits(int neighbours, int pendingFrames, int reassemblies, int icmpPerSecond) {
  public static final StackLimits DEFAULT = new StackLimits(1024, 64, 16, 100);

  public StackLimits {
    if (neighbours < 8 || Integer.bitCount(neighbours) != 1) {
      throw new IllegalArgumentException("neighbours: a power of two from 8, not " + neighbours);
    }
    if (pendingFrames < 1 || reassemblies < 1 || icmpPerSecond < 0) {
      throw new IllegalArgumentException("limits must be positive: " + pendingFrames);
    }
  }
}
