package sluice.http.parse;

import java.nio.charset.StandardCharsets;

/// The framing of a `multipart/byteranges` body, RFC 9110 section 14.6: the bytes before, between
/// and after the ranges.
///
/// Immutable; any thread may read it. Made once per such reply, off the hot path.
public final class MultipartRanges {
  private final String boundary;
  private final byte[][] heads;
  private final byte[] tail;
  private final long bodyBytes;

  /// @param type media type of the representation, for each part
  /// @param length bytes of the whole representation
  /// @param random sixteen unpredictable bytes, so that no file can contain the boundary on purpose
  public MultipartRanges(Ranges ranges, String type, long length, byte[] random) {
    StringBuilder hex = new StringBuilder("sluice-");
    for (byte b : random) {
      hex.append(Character.forDigit(b >> 4 & 0xf, 16)).append(Character.forDigit(b & 0xf, 16));
    }
    boundary = hex.toString();
    heads = new byte[ranges.count()][];
    long bytes = 0;
    for (int i = 0; i < heads.length; i++) {
      long start = ranges.start(i);
      long end = ranges.end(i);
      heads[i] =
          ascii(
              "\r\n--%s\r\nContent-Type: %s\r\nContent-Range: %s\r\n\r\n"
                  .formatted(boundary, type, contentRange(start, end, length)));
      bytes += heads[i].length + end - start;
    }
    tail = ascii("\r\n--" + boundary + "--\r\n");
    bodyBytes = bytes + tail.length;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// Returns the value of the reply's Content-Type field.
  public String contentType() {
    return "multipart/byteranges; boundary=" + boundary;
  }

  /// Returns the bytes that precede a range.
  public byte[] head(int range) {
    return heads[range].clone();
  }

  /// Returns the bytes that follow the last range.
  public byte[] tail() {
    return tail.clone();
  }

  /// Returns the length of the whole body: the reply's Content-Length.
  public long bodyBytes() {
    return bodyBytes;
  }

  /// Returns the value of a Content-Range field for `[start, end)`.
  public static String contentRange(long start, long end, long length) {
    return "bytes " + start + '-' + (end - 1) + '/' + length;
  }

  /// Returns the value of the Content-Range field of a 416 reply.
  public static String unsatisfied(long length) {
    return "bytes */" + length;
  }
}
