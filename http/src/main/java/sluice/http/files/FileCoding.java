package sluice.http.files;

import sluice.http.parse.ContentNegotiation;

/// A content coding a file can be stored or compressed in.
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

  /// The name in `Content-Encoding` and `Accept-Encoding`.
  public String token() {
    return token;
  }

  /// The coding of one bit.
  static FileCoding of(int bit) {
    return switch (bit) {
      case ContentNegotiation.BR -> BROTLI;
      case ContentNegotiation.ZSTD -> ZSTD;
      case ContentNegotiation.GZIP -> GZIP;
      default -> IDENTITY;
    };
  }

  /// What a precompressed sibling has behind its name; empty for [#IDENTITY].
  String suffix() {
    return suffix;
  }

  /// The coding in masks of [ContentNegotiation].
  public int bit() {
    return bit;
  }

  /// What sets the entity tag apart from those of the other codings.
  String tagSuffix() {
    return tagSuffix;
  }
}
