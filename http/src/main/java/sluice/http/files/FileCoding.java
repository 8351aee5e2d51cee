package sluice.http.files;

import sluice.http.parse.ContentNegotiation;

/// A content coding in which a file can be stored or compressed.
public enum FileCoding {
  IDENTITY("identity", "", "", ContentNegotiation.IDENTITY),
  BROTLI("br", ".br", "-br", ContentNegotiation.BR),
  ZSTD("zstd", ".zst", "-zstd", ContentNegotiation.ZSTD),
  GZIP("gzip", ".gz", "-gz", ContentNegotiation.GZIP);

  private final String token;
  private final String suffix;
  private final String tagSuffix;
  private final int bit;

  FileCoding(String token, String suffix, String tagSuffix, int bit) {
    this.token = token;
    this.suffix = suffix;
    this.tagSuffix = tagSuffix;
    this.bit = bit;
  }

  /// Returns the name of this coding in `Content-Encoding` and `Accept-Encoding`.
  public String token() {
    return token;
  }

  /// Returns the coding for a single bit of a [ContentNegotiation] mask.
  static FileCoding of(int bit) {
    return switch (bit) {
      case ContentNegotiation.BR -> BROTLI;
      case ContentNegotiation.ZSTD -> ZSTD;
      case ContentNegotiation.GZIP -> GZIP;
      default -> IDENTITY;
    };
  }

  /// Returns the suffix of a precompressed sibling's name, which is empty for [#IDENTITY].
  String suffix() {
    return suffix;
  }

  /// Returns the bit of this coding in [ContentNegotiation] masks.
  public int bit() {
    return bit;
  }

  /// Returns the suffix that distinguishes the entity tag of this coding from those of other
  /// codings.
  String tagSuffix() {
    return tagSuffix;
  }
}
