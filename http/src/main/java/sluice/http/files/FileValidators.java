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

/// What a client may tell one version of a file from another by: the entity tag, and whether the
/// modification time will do too. Immutable; any thread may use it.
///
/// Times alone do not tell versions apart while the clock that stamps them may still give the same
/// stamp: a few milliseconds on most file systems, seconds on those that count in seconds, and for
/// `Last-Modified` the second it names (RFC 9110 section 8.8.2.2). A version read that early is
/// *provisional*:
/// - The tag of bytes in memory has a checksum of them always, so it needs no times. A file that is
///   only opened gets a random tag: a client then fetches it once more, but never keeps a wrong
///   one.
/// - `Last-Modified` is not sent, nor while it would lie in the future (section 8.8.2.1). Dates in
///   requests are compared with the end of that second.
///
/// Where the site wants tags that its replicas share ([Site.Tags]), the tag of bytes in memory is
/// their digest, or any tag is made of the time in seconds and the size, once the second of the
/// time is over: until then it is the exact one.
///
/// @param tag as it is sent
/// @param settled a later change gives the file other times, so that a `statx` shows it
/// @param dated whether `Last-Modified` may be sent
/// @param provisionalUntilNanos since the epoch: when a new look gives better ones; 0 for never
public record FileValidators(
    String tag, boolean settled, boolean dated, long provisionalUntilNanos) {
  /// Two changes within this time may leave equal stamps on a file system that counts in seconds.
  private static final long WHOLE_SECONDS_NANOS = TimeUnit.MILLISECONDS.toNanos(2100);

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /// Of a file's own bytes.
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

  /// Of bytes compressed on the fly. Their checksum is part of an exact tag: another zlib may
  /// compress differently, and ranges of the two must not be joined.
  static FileValidators ofMade(Precompress.Compressed made, FileBody original, Site.Tags tags) {
    String suffix = made.coding().tagSuffix();
    String exact = suffix + Integer.toHexString(made.checksum());
    return of(original, tags, made.block().segment(), suffix, exact, false);
  }

  /// @param bytes of the representation; null when they are not in memory
  /// @param exactSuffix for a tag of the form [Site.Tags#INODE]
  /// @param randomTag whether it has a part that the next look will not have
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
    // In its own second the time does not tell versions apart.
    boolean ahead = body.seenNanos() < version.modifiedAt() - FileReader.QUIET_NANOS;
    boolean timed = tags != Site.Tags.INODE && (dated || ahead);
    String tag = timed ? FileTag.ofTime(version, suffix) : FileTag.of(version, exactSuffix);
    return new FileValidators(tag, settled, dated, until);
  }

  /// Two polynomials, 64 bits: no defence against collisions made on purpose, and need not be, as a
  /// writer of files can publish anything.
  private static String checksum(MemorySegment bytes) {
    CRC32C first = new CRC32C();
    first.update(bytes.asByteBuffer());
    CRC32 second = new CRC32();
    second.update(bytes.asByteBuffer());
    return '-' + Long.toHexString(first.getValue() << 32 | second.getValue());
  }

  /// From when on a change leaves other stamps than `version` has.
  private static long settlesNanos(FileStatus version) {
    boolean wholeSeconds = version.modifiedNanos == 0 && version.changedNanos == 0;
    return version.changedAt() + (wholeSeconds ? WHOLE_SECONDS_NANOS : FileReader.QUIET_NANOS);
  }

  /// From when on a change leaves another second; the clock of stamps may be a tick behind.
  private static long datesNanos(FileStatus version) {
    long second = version.modifiedAt() - version.modifiedNanos;
    return second + SECOND + FileReader.QUIET_NANOS;
  }

  /// The modification time as far as a date can say it.
  public static long modifiedSeconds(FileStatus version) {
    return HttpDate.nearest(version.modifiedSeconds);
  }
}
