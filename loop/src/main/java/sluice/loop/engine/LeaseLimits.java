package sluice.loop.engine;

/// The limits of what handlers may retain of received bytes beyond their return, see
/// [sluice.loop.Connection#retain].
///
/// @param chunksPerConnection the chunks of the arena that one connection's leases may hold, 0 to
///   32 768; with 0, bytes are always copied
/// @param copiedBytesPerConnection the bytes of copies made for one connection, where no lease is
///   given
/// @param copiedBytesPerLoop the same for all connections of the loop together, including closed
///   ones whose copies are still in use
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
