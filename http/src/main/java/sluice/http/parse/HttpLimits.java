package sluice.http.parse;

/// The limits on the parts of a request head.
///
/// Immutable, so any thread may read it.
///
/// @param targetBytes the maximum length of a request target; longer ones are answered 414
/// @param headBytes the maximum total length of the request line, the header section and the empty
///   line, including an empty line that precedes them; longer ones are answered 431. At least
///   `targetBytes`, at most 65 535
/// @param headerLines the maximum number of header lines; more are answered 431
/// @param methodBytes the maximum length of a method; longer ones are answered 501
public record HttpLimits(int targetBytes, int headBytes, int headerLines, int methodBytes) {
  /// The default limits: targets of 8 KiB, heads of 16 KiB, 100 header lines and methods of 32
  /// bytes.
  public static final HttpLimits DEFAULT = new HttpLimits(8 << 10, 16 << 10, 100, 32);

  public HttpLimits {
    if (targetBytes < 1
        || headBytes < targetBytes
        || headBytes > 0xffff
        || headerLines < 1
        || methodBytes < 1) {
      throw new IllegalArgumentException(
          "limits out of range: target %d, head %d, lines %d, method %d"
              .formatted(targetBytes, headBytes, headerLines, methodBytes));
    }
  }
}
