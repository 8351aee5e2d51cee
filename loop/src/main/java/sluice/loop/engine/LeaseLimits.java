package sluice.loop.engine;

/// The limits on the received bytes that handlers may retain after they have returned, see
/// [sluice.loop.Connection#retain].
///
/// @param chunksPerConnection the maximum number of chunks of the arena held by the leases of one
///   connection, 0 to 32 768; with 0, bytes are always copied
/// @param copiedBytesPerConnection the maximum size in bytes of the copies for one connection,
///   which are made if no lease is granted
/// @param copiedBytesPerLoop the same limit for all connections of the loop together, including
///   closed ones whose copies are still in use
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
