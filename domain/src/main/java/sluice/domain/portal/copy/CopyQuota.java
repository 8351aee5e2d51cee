package sluice.domain.portal.copy;

/// What the arguments, or the result, of one portal call may be at most. Immutable.
///
/// @param bytes an upper bound of what the copies take on the heap: 16 a header, 8 a reference, 2 a
///   character of a string; at least 0
/// @param objects how many objects; at least 0
public record CopyQuota(long bytes, int objects) {
  /// One megabyte in ten thousand objects.
  public static final CopyQuota STANDARD = new CopyQuota(1 << 20, 10_000);

  public CopyQuota {
    if (bytes < 0 || objects < 0) {
      throw new IllegalArgumentException("negative quota: " + bytes + " bytes, " + objects);
    }
  }
}
