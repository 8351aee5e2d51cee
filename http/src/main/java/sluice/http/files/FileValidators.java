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

/// The validators of one version of a file: the entity tag, and if the modification time may serve
/// as one. Immutable; any thread may use it.
///
/// Times alone do not distinguish versions while the clock of the file system may still give the
/// same stamp. That lasts a few milliseconds on most file systems, seconds on those that count in
/// seconds, and for `Last-Modified` until the end of the second it names (RFC 9110 section
/// 8.8.2.2). A version that was read so early is *provisional*:
/// - The tag of bytes in memory always includes a checksum of them, so it does not rely on times. A
///   file that is only opened gets a random tag: a client then fetches it once more, but never
///   keeps a wrong version.
/// - `Last-Modified` is not sent, neither then nor while it would lie in the future (section
///   8.8.2.1). Dates in requests are compared with the end of that second.
///
/// Where the site wants tags that its replicas share ([Site.Tags]), the tag of bytes in memory is
/// their digest, or every tag is made of the time in seconds and the size. The latter is used only
/// after that second is over; until then the tag is the exact one.
///
/// @param tag the entity tag as it is sent
/// @param settled true if any later change gives the file other times, so that a `statx` shows it
/// @param dated true if `Last-Modified` may be sent
/// @param provisionalUntilNanos the time, since the epoch, from which a new read gives better
///   validators; 0 for never
public record FileValidators(
    String tag, boolean settled, boolean dated, long provisionalUntilNanos) {
  /// The time within which two changes may leave equal stamps on a file system that counts in
  /// seconds.
  private static final long WHOLE_SECONDS_NANOS = TimeUnit.MILLISECONDS.toNanos(2100);

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /// Returns the validators of a file whose bytes are sent as they are on disk.
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
  /// checksum: another zlib may compress differently, and a client must not join ranges of the two.
  static FileValidators ofMade(Precompress.Compressed made, FileBody original, Site.Tags tags) {
    String suffix = made.coding().tagSuffix();
    String exact = suffix + Integer.toHexString(made.checksum());
    return of(original, tags, made.block().segment(), suffix, exact, false);
  }

  /// Returns the validators of one representation.
  ///
  /// @param bytes the representation; null if it is not in memory
  /// @param exactSuffix the suffix for a tag of the form [Site.Tags#INODE]
  /// @param randomTag true if the suffix has a random part that differs at the next read
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
    // Within its own second the time does not distinguish versions.
    boolean ahead = body.seenNanos() < version.modifiedAt() - FileReader.QUIET_NANOS;
    boolean timed = tags != Site.Tags.INODE && (dated || ahead);
    String tag = timed ? FileTag.ofTime(version, suffix) : FileTag.of(version, exactSuffix);
    return new FileValidators(tag, settled, dated, until);
  }

  /// Returns 64 bits of checksum, made of two polynomials. They do not resist deliberate collisions
  /// and need not: an attacker with write access can publish anything.
  private static String checksum(MemorySegment bytes) {
    CRC32C first = new CRC32C();
    first.update(bytes.asByteBuffer());
    CRC32 second = new CRC32();
    second.update(bytes.asByteBuffer());
    return '-' + Long.toHexString(first.getValue() << 32 | second.getValue());
  }

  /// Returns the time after which a change leaves other stamps than those of `version`.
  private static long settlesNanos(FileStatus version) {
    boolean wholeSeconds = version.modifiedNanos == 0 && version.changedNanos == 0;
    return version.changedAt() + (wholeSeconds ? WHOLE_SECONDS_NANOS : FileReader.QUIET_NANOS);
  }

  /// Returns the time after which a change falls into another second. The clock of the stamps may
  /// be a tick behind.
  private static long datesNanos(FileStatus version) {
    long second = version.modifiedAt() - version.modifiedNanos;
    return second + SECOND + FileReader.QUIET_NANOS;
  }

  /// Returns the modification time, moved to the nearest second that an HTTP date can express.
  public static long modifiedSeconds(FileStatus version) {
    return HttpDate.nearest(version.modifiedSeconds);
  }
}
