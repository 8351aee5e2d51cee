package sluice.verify;

/// The guarantees of the host about the input, and its limit on the work of a method.
///
/// @param maxLength the maximum length of every array, string, buffer and view that a method
///   receives as an argument, from a field or from a call, in elements, characters or bytes
/// @param maxBytecodes the maximum bound; a method with a larger bound is refused
public record Limits(int maxLength, long maxBytecodes) {
  /// The default limits, which allow one page of input and about one second of work.
  public static final Limits DEFAULT = new Limits(4096, 1_000_000_000);

  /// Creates limits.
  ///
  /// @throws IllegalArgumentException if a limit is less than 1
  public Limits {
    if (maxLength < 1 || maxBytecodes < 1) {
      throw new IllegalArgumentException(
          "limits are at least 1: " + maxLength + ", " + maxBytecodes);
    }
  }
}
