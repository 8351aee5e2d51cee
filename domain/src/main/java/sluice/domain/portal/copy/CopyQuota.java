package sluice.domain.portal.copy;

/// The limits on the arguments or the result of one portal call. Immutable.
///
/// @param bytes the maximum heap size of the copies, at least 0, computed as an upper bound: 16
///   bytes for a header, 8 for a reference, 2 for a character of a string
/// @param objects the maximum number of objects, at least 0
public record CopyQuota(long bytes, int objects) {
  /// The default quota: one megabyte and ten thousand objects.
  public static final CopyQuota STANDARD = new CopyQuota(1 << 20, 10_000);

  public CopyQuota {
    if (bytes < 0 || objects < 0) {
      throw new IllegalArgumentException("negative quota: " + bytes + " bytes, " + objects);
    }
  }
}
