package sluice.fs.journal;

import static sluice.fs.journal.LogLayout.INCOMPAT_64BIT;
import static sluice.fs.journal.LogLayout.INCOMPAT_CSUM_V2;
import static sluice.fs.journal.LogLayout.INCOMPAT_CSUM_V3;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/// The block formats of a journal. Their sizes and checksums depend on the features in the
/// superblock. Instances are immutable and thread-safe.
///
/// The kernel uses a CRC32C without the final inversion that is seeded with the CRC of the UUID.
/// Java's CRC32C returns the same result if the UUID is processed first and the result is inverted.
@SuppressWarnings("ArrayRecordComponent") // the UUID is never changed
record LogFormat(int blockBytes, int compat, int incompat, byte[] uuid) {
  private static final int TAG3_BYTES = 16;

  boolean summed() {
    return (incompat & (INCOMPAT_CSUM_V2 | INCOMPAT_CSUM_V3)) != 0;
  }

  private boolean v3() {
    return (incompat & INCOMPAT_CSUM_V3) != 0;
  }

  private boolean wide() {
    return (incompat & INCOMPAT_64BIT) != 0;
  }

  int tagBytes() {
    if (v3()) {
      return TAG3_BYTES;
    }
    int bytes = (incompat & INCOMPAT_CSUM_V2) != 0 ? 14 : 12;
    return wide() ? bytes : bytes - 4;
  }

  /// Returns the offset of the end of the tags or numbers in a block.
  int bodyEnd() {
    return summed() ? blockBytes - 4 : blockBytes;
  }

  int revokeEntryBytes() {
    return wide() ? 8 : 4;
  }

  /// Returns the number of blocks that a descriptor can contain. The UUID follows the first tag.
  int tagsPerBlock() {
    return (bodyEnd() - LogLayout.HEADER_BYTES - LogLayout.UUID_BYTES) / tagBytes();
  }

  int revokesPerBlock() {
    return (bodyEnd() - LogLayout.R_ENTRIES) / revokeEntryBytes();
  }

  /// Returns the largest block number that a tag can represent.
  long mostBlock() {
    return wide() ? Long.MAX_VALUE : 0xFFFF_FFFFL;
  }

  long tagBlock(MemorySegment block, long at) {
    long low = LogLayout.getInt(block, at) & 0xFFFF_FFFFL;
    long high = wide() ? LogLayout.getInt(block, at + 8) & 0xFFFF_FFFFL : 0;
    return (high << 32) | low;
  }

  int tagFlags(MemorySegment block, long at) {
    return v3() ? LogLayout.getInt(block, at + 4) : LogLayout.getShort(block, at + 6);
  }

  /// Writes a tag.
  ///
  /// @param content the block as it is written to the log, after escaping
  void setTag(
      MemorySegment block, long at, long number, int flags, int sequence, MemorySegment content) {
    LogLayout.setInt(block, at, (int) number);
    if (wide()) {
      LogLayout.setInt(block, at + 8, (int) (number >>> 32));
    }
    int sum = summed() ? contentSum(sequence, content) : 0;
    if (v3()) {
      LogLayout.setInt(block, at + 4, flags);
      LogLayout.setInt(block, at + 12, sum);
    } else {
      LogLayout.setShort(block, at + 4, sum);
      LogLayout.setShort(block, at + 6, flags);
    }
  }

  /// Returns true if the checksum of a tag matches a block of content.
  boolean tagFits(MemorySegment block, long at, int sequence, MemorySegment content) {
    if (!summed()) {
      return true;
    }
    int sum = contentSum(sequence, content);
    return v3()
        ? LogLayout.getInt(block, at + 12) == sum
        : LogLayout.getShort(block, at + 4) == (sum & 0xFFFF);
  }

  private int contentSum(int sequence, MemorySegment content) {
    CRC32C crc = seeded();
    crc.update(sequence >>> 24);
    crc.update(sequence >>> 16);
    crc.update(sequence >>> 8);
    crc.update(sequence);
    crc.update(content.asByteBuffer());
    return ~(int) crc.getValue();
  }

  /// Writes the checksum into the tail of a descriptor or revoke block.
  void seal(MemorySegment block) {
    if (summed()) {
      LogLayout.setInt(block, blockBytes - 4, sumWithout(block, blockBytes - 4));
    }
  }

  boolean sealFits(MemorySegment block) {
    return !summed()
        || LogLayout.getInt(block, blockBytes - 4) == sumWithout(block, blockBytes - 4);
  }

  /// Writes the checksum into a commit block.
  void sealCommit(MemorySegment block) {
    if (summed()) {
      LogLayout.setInt(block, LogLayout.H_CHKSUM, sumWithout(block, LogLayout.H_CHKSUM));
    }
  }

  boolean commitFits(MemorySegment block) {
    return !summed()
        || LogLayout.getInt(block, LogLayout.H_CHKSUM) == sumWithout(block, LogLayout.H_CHKSUM);
  }

  /// Returns the checksum of a block. The four bytes at `hole` are treated as zeros.
  private int sumWithout(MemorySegment block, int hole) {
    CRC32C crc = seeded();
    crc.update(block.asSlice(0, hole).asByteBuffer());
    crc.update(new byte[4]);
    crc.update(block.asSlice(hole + 4L, blockBytes - hole - 4L).asByteBuffer());
    return ~(int) crc.getValue();
  }

  private CRC32C seeded() {
    CRC32C crc = new CRC32C();
    crc.update(uuid);
    return crc;
  }

  /// Returns the checksum of a superblock, which has no seed.
  static int superblockSum(MemorySegment block) {
    CRC32C crc = new CRC32C();
    crc.update(block.asSlice(0, LogLayout.S_CHECKSUM).asByteBuffer());
    crc.update(new byte[4]);
    int after = LogLayout.S_CHECKSUM + 4;
    crc.update(block.asSlice(after, LogLayout.SUPERBLOCK_BYTES - after).asByteBuffer());
    return ~(int) crc.getValue();
  }
}
