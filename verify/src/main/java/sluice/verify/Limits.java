package sluice.verify;

/// What the host promises about the input, and what it accepts.
///
/// @param maxLength the most elements, characters or bytes of every array, string, buffer and view
///   that a method gets: as an argument, from a field or from a call
/// @param maxBytecodes a method with a larger bound is refused
public record Limits(int maxLength, long maxBytecodes) {
  /// One page of input, and about a second of work.
  public static final Limits DEFAULT = new Limits(4096, 1_000_000_000);

  /// @throws IllegalArgumentException if one is less than 1
  public Limits {
    if (maxLength < 1 || maxBytecodes < 1) {
      throw new IllegalArgumentException(
          "limits are at least 1: " + maxLength + ", " + maxBytecodes);
    }
  }
}
