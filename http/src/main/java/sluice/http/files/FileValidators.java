package sluice.http.files;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.HttpDate;
import sluice.http.site.Site;
import sluice.memory.block.Block;

/// The validators of one version of a file, which are the entity tag and, where suitable, the
/// modification time. Immutable, so any thread may use it.
///
/// Times alone do not distinguish versions while the clock of the file system may still produce the
/// same timestamp. This lasts a few milliseconds on most file systems, seconds on file systems with
/// a granularity of seconds, and for `Last-Modified` until the end of the given second (RFC 9110
/// section 8.8.2.2). A version that was read this early is *provisional*:
/// - The tag of bytes in memory always includes a checksum of them, so it does not depend on times.
///   A file that is only opened is assigned a random tag. A client then downloads it once more, but
///   never caches an incorrect version.
/// - `Last-Modified` is not sent for provisional versions, or while it would be in the future
///   (section 8.8.2.1). Dates in requests are compared with the end of that second.
///
/// If the site is configured for tags that are the same on all replicas ([Site.Tags]), the tag of
/// bytes in memory is their digest, or every tag consists of the time in seconds and the size. The
/// latter is only used after that second has elapsed. Until then the exact tag is used.
///
/// @param tag the entity tag as it is sent
/// @param settled true if any later change results in different times, so that `statx` can detect
///   it
/// @param dated true if `Last-Modified` may be sent
/// @param provisionalUntilNanos the time since the epoch after which a new read produces better
///   validators, or 0 if it never does
public record FileValidators(
    String tag, boolean settled, boolean dated, long provisionalUntilNanos) {
  /// The time within which two changes may result in equal timestamps on a file system with a
  /// granularity of seconds.
  private static final long WHOLE_SECONDS_NANOS = TimeUnit.MILLISECONDS.toNanos(2100);

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /// Returns the validators of a file whose bytes are sent as they are stored on disk.
  static FileValidators of(FileBody body, FileCoding coding, Site.Tags tags) {
    Block block = body.block();
    String suffix = coding.tagSuffix();
    if (block != null) {
      return of(body, tags, block.segment(), suffix, checksum(block.segment()) + suffix, false);
    }
    boolean unsure = body.stream() != null && body.seenNanos() < settlesNanos(body.version());
    String nonce = unsure ? '-' + Long.toHexString(ThreadLocalRandom.current().nextLong()) : "";
    MemorySegment whole = body.stream() == null ? MemorySegment.NULL : null;
    return of(body, tags, whole, suffix, nonce + suffix, unsure);
  }

  /// Returns the validators of bytes that were compressed on the fly. An exact tag includes their
  /// checksum, because another version of zlib may compress differently and a client must not
  /// combine ranges of two different results.
  static FileValidators ofMade(Precompress.Compressed made, FileBody original, Site.Tags tags) {
    String suffix = made.coding().tagSuffix();
    String exact = suffix + Integer.toHexString(made.checksum());
    return of(original, tags, made.block().segment(), suffix, exact, false);
  }

  /// Returns the validators of one representation.
  ///
  /// @param bytes the representation, or null if it is not in memory
  /// @param exactSuffix the suffix of a tag in the format [Site.Tags#INODE]
  /// @param randomTag true if the suffix contains a random part that differs for each read
  private static FileValidators of(
      FileBody body,
      Site.Tags tags,
      @Nullable MemorySegment bytes,
      String suffix,
      String exactSuffix,
      boolean randomTag) {
    FileStatus version = body.version();
    boolean settled = body.seenNanos() >= settlesNanos(version);
    boolean dated = body.seenNanos() >= datesNanos(version);
    if (tags == Site.Tags.CONTENT && bytes != null) {
      return new FileValidators(
          FileTag.ofContent(bytes, suffix), settled, dated, dated ? 0 : datesNanos(version));
    }
    long until = randomTag ? settlesNanos(version) : dated ? 0 : datesNanos(version);
    // Within the second of the modification, the time does not distinguish versions.
    boolean ahead = body.seenNanos() < version.modifiedAt() - FileReader.QUIET_NANOS;
    boolean timed = tags != Site.Tags.INODE && (dated || ahead);
    String tag = timed ? FileTag.ofTime(version, suffix) : FileTag.of(version, exactSuffix);
    return new FileValidators(tag, settled, dated, until);
  }

  /// Returns a 64-bit checksum that is computed from two polynomials. It does not need to resist
  /// deliberate collisions, because an attacker with write access can publish anything.
  private static String checksum(MemorySegment bytes) {
    CRC32C first = new CRC32C();
    first.update(bytes.asByteBuffer());
    CRC32 second = new CRC32();
    second.update(bytes.asByteBuffer());
    return '-' + Long.toHexString(first.getValue() << 32 | second.getValue());
  }

  /// Returns the time after which any change results in timestamps that differ from those of
  /// `version`.
  private static long settlesNanos(FileStatus version) {
    boolean wholeSeconds = version.modifiedNanos == 0 && version.changedNanos == 0;
    return version.changedAt() + (wholeSeconds ? WHOLE_SECONDS_NANOS : FileReader.QUIET_NANOS);
  }

  /// Returns the time after which any change falls into a later second. The clock that is used for
  /// timestamps may be one tick behind.
  private static long datesNanos(FileStatus version) {
    long second = version.modifiedAt() - version.modifiedNanos;
    return second + SECOND + FileReader.QUIET_NANOS;
  }

  /// Returns the modification time in seconds, clamped to the range that an HTTP date can
  /// represent.
  public static long modifiedSeconds(FileStatus version) {
    return HttpDate.nearest(version.modifiedSeconds);
  }
}
