package sluice.loop.engine;

/// What handlers may keep of received bytes beyond their return, [sluice.loop.Connection#retain].
///
/// @param chunksPerConnection chunks of the arena that one connection's leases may hold, 0 to 32
///   768; 0 copies always
/// @param copiedBytesPerConnection bytes of copies made for one connection, where no lease is given
/// @param copiedBytesPerLoop the same for all connections of the loop together, those included that
///   have closed while a copy is still in use
public record LeaseLimits(
    int chunksPerConnection, long copiedBytesPerConnection, long copiedBytesPerLoop) {
  public static final LeaseLimits DEFAULT = new LeaseLimits(4, 256 << 10, 16L << 20);

  public LeaseLimits {
    if (chunksPerConnection < 0 || chunksPerConnection > 32_768) {
      throw new IllegalArgumentException(
          "chunksPerConnection must be 0 to 32768: " + chunksPerConnection);
    }
    if (copiedBytesPerConnection < 0 || copiedBytesPerLoop < 0) {
      throw new IllegalArgumentException(
          "bytes must not be negative: " + copiedBytesPerConnection + ", " + copiedBytesPerLoop);
    }
  }
}
