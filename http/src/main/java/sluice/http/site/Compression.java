package sluice.http.site;

import java.util.List;

/// The settings for compression on the fly. A file without a precompressed sibling is compressed
/// once, when it is first requested in that coding. Immutable: any thread may use it.
///
/// @param gzipLevel 1 (fast) to 9 (small), 0 for never
/// @param zstdLevel 1 (fast) to 19 (small), 0 for never; needs libzstd. Clients that accept both
///   equally get zstd
/// @param leastBytes smaller files are sent as they are
/// @param types media types, such as `text/html` or `text/*`; empty for those that are likely to
///   become smaller
public record Compression(int gzipLevel, int zstdLevel, int leastBytes, List<String> types) {
  /// gzip of level 6, from 256 bytes on: below it, headers cost more than compression saves.
  public static final Compression DEFAULT = new Compression(6, 0, 256, List.of());

  /// The greatest size to compress; larger files are not held in memory twice.
  public static final int MOST_BYTES = 1 << 20;

  private static final int MOST_ZSTD_LEVEL = 19;

  public Compression {
    types = List.copyOf(types);
    if (gzipLevel < 0 || gzipLevel > 9) {
      throw new IllegalArgumentException("gzipLevel must be 0 to 9: " + gzipLevel);
    }
    if (zstdLevel < 0 || zstdLevel > MOST_ZSTD_LEVEL) {
      throw new IllegalArgumentException("zstdLevel must be 0 to 19: " + zstdLevel);
    }
    if (leastBytes < 1 || leastBytes > MOST_BYTES) {
      throw new IllegalArgumentException("leastBytes must be 1 to 1 MiB: " + leastBytes);
    }
    for (String type : types) {
      if (!type.matches("[a-z]+/(\\*|[a-z0-9!#$&^_.+-]+)")) {
        throw new IllegalArgumentException(
            "what is compressed is such as text/html or text/*, in small letters: " + type);
      }
    }
  }

  public Compression withGzip(int level) {
    return new Compression(level, zstdLevel, leastBytes, types);
  }

  public Compression withZstd(int level) {
    return new Compression(gzipLevel, level, leastBytes, types);
  }

  public Compression withLeastBytes(int bytes) {
    return new Compression(gzipLevel, zstdLevel, bytes, types);
  }

  public Compression withTypes(List<String> value) {
    return new Compression(gzipLevel, zstdLevel, leastBytes, value);
  }

  /// Returns true if a body of that length is worth compressing.
  public boolean fits(long lengthBytes) {
    return lengthBytes >= leastBytes && lengthBytes <= MOST_BYTES;
  }

  /// Returns true if files of that media type are compressed.
  boolean takes(MimeType type) {
    if (types.isEmpty()) {
      return type.compressible();
    }
    String name = type.contentType().split(";", 2)[0].strip();
    String family = name.substring(0, name.indexOf('/') + 1) + '*';
    return types.contains(name) || types.contains(family);
  }
}
