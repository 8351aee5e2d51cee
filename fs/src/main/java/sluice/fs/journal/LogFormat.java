package sluice.fs.journal;

import static sluice.fs.journal.LogLayout.INCOMPAT_64BIT;
import static sluice.fs.journal.LogLayout.INCOMPAT_CSUM_V2;
import static sluice.fs.journal.LogLayout.INCOMPAT_CSUM_V3;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/// How the blocks of one journal are written: sizes and checksums that its superblock's features
/// decide. Immutable: any thread may use it.
///
/// The kernel's CRC32C has no final inversion, and its seed is the CRC of the UUID; both come out
/// of Java's by putting the UUID before all that is summed, and inverting.
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

  /// Where the tags or numbers of a block must end.
  int bodyEnd() {
    return summed() ? blockBytes - 4 : blockBytes;
  }

  int revokeEntryBytes() {
    return wide() ? 8 : 4;
  }

  /// How many blocks a descriptor can name: the first tag is followed by the UUID.
  int tagsPerBlock() {
    return (bodyEnd() - LogLayout.HEADER_BYTES - LogLayout.UUID_BYTES) / tagBytes();
  }

  int revokesPerBlock() {
    return (bodyEnd() - LogLayout.R_ENTRIES) / revokeEntryBytes();
  }

  /// Largest block number that tags can hold.
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

  /// @param content the block as it is in the log, escaped
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

  /// Whether a block of content is the one its tag was made for.
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

  /// Puts the checksum into the tail of a descriptor or revoke block.
  void seal(MemorySegment block) {
    if (summed()) {
      LogLayout.setInt(block, blockBytes - 4, sumWithout(block, blockBytes - 4));
    }
  }

  boolean sealFits(MemorySegment block) {
    return !summed()
        || LogLayout.getInt(block, blockBytes - 4) == sumWithout(block, blockBytes - 4);
  }

  /// Puts the checksum into a commit block.
  void sealCommit(MemorySegment block) {
    if (summed()) {
      LogLayout.setInt(block, LogLayout.H_CHKSUM, sumWithout(block, LogLayout.H_CHKSUM));
    }
  }

  boolean commitFits(MemorySegment block) {
    return !summed()
        || LogLayout.getInt(block, LogLayout.H_CHKSUM) == sumWithout(block, LogLayout.H_CHKSUM);
  }

  /// The sum of a block as if the four bytes at `hole` were zero.
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

  /// The checksum of a superblock, which has no seed.
  static int superblockSum(MemorySegment block) {
    CRC32C crc = new CRC32C();
    crc.update(block.asSlice(0, LogLayout.S_CHECKSUM).asByteBuffer());
    crc.update(new byte[4]);
    int after = LogLayout.S_CHECKSUM + 4;
    crc.update(block.asSlice(after, LogLayout.SUPERBLOCK_BYTES - after).asByteBuffer());
    return ~(int) crc.getValue();
  }
}
