package sluice.http;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import sluice.memory.Block;

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
/// @param tag strong, with its quotes
/// @param settled a later change gives the file other times, so that a `statx` shows it
/// @param dated whether `Last-Modified` may be sent
/// @param provisionalUntilNanos since the epoch: when a new look gives better ones; 0 for never
record FileValidators(String tag, boolean settled, boolean dated, long provisionalUntilNanos) {
  /// Two changes within this time may leave equal stamps on a file system that counts in seconds.
  private static final long WHOLE_SECONDS_NANOS = TimeUnit.MILLISECONDS.toNanos(2100);

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /// Of a file's own bytes.
  static FileValidators of(FileBody body, FileCoding coding) {
    Block block = body.block();
    FileStatus version = body.version();
    String suffix = coding.tagSuffix();
    if (block != null) {
      return of(version, body.seenNanos(), checksum(block.segment()) + suffix, false);
    }
    boolean unsure = body.stream() != null && body.seenNanos() < settlesNanos(version);
    String nonce = unsure ? '-' + Long.toHexString(ThreadLocalRandom.current().nextLong()) : "";
    return of(version, body.seenNanos(), nonce + suffix, unsure);
  }

  /// Of bytes made from a file's: their checksum is in the suffix.
  static FileValidators ofMade(FileStatus version, long seenNanos, String suffix) {
    return of(version, seenNanos, suffix, false);
  }

  private static FileValidators of(
      FileStatus version, long seenNanos, String suffix, boolean randomTag) {
    boolean settled = seenNanos >= settlesNanos(version);
    boolean dated = seenNanos >= datesNanos(version);
    long until = randomTag ? settlesNanos(version) : dated ? 0 : datesNanos(version);
    return new FileValidators(FileTag.of(version, suffix), settled, dated, until);
  }

  /// Two polynomials, 64 bits: no defence against who makes collisions on purpose, and need not be,
  /// as whoever writes files can publish anything.
  private static String checksum(MemorySegment bytes) {
    CRC32C first = new CRC32C();
    first.update(bytes.asByteBuffer());
    CRC32 second = new CRC32();
    second.update(bytes.asByteBuffer());
    return '-' + Long.toHexString(first.getValue() << 32 | second.getValue());
  }

  /// From when on a change leaves other stamps than `version` has.
  private static long settlesNanos(FileStatus version) {
    boolean wholeSeconds =
        version.modifiedNanos % SECOND == 0 && version.changedNanos % SECOND == 0;
    return version.changedNanos + (wholeSeconds ? WHOLE_SECONDS_NANOS : FileReader.QUIET_NANOS);
  }

  /// From when on a change leaves another second; the clock of stamps may be a tick behind.
  private static long datesNanos(FileStatus version) {
    if (version.modifiedNanos > Long.MAX_VALUE - 2 * SECOND) {
      return Long.MAX_VALUE;
    }
    return (modifiedSeconds(version) + 1) * SECOND + FileReader.QUIET_NANOS;
  }

  static long modifiedSeconds(FileStatus version) {
    return Math.floorDiv(version.modifiedNanos, SECOND);
  }
}
