package sluice.fs.journal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The JBD2 journal format, as described in Linux's `Documentation/filesystems/ext4/journal.rst`.
/// All numbers are big-endian. This class is stateless and thread-safe.
///
/// ```
///  header of every block that is not logged content:   descriptor:  header, tags …, tail
///   0         4           8            12              commit:      header, checksum, time
///   +---------+-----------+------------+               revoke:      header, count, numbers …, tail
///   |  magic  | blocktype |  sequence  |
///   +---------+-----------+------------+               tail: checksum of the block, last 4 bytes,
///                                                            where the superblock says so
/// ```
///
/// ```c
/// struct journal_superblock_s {
///   journal_header_t s_header;                                        // 0
///   __be32 s_blocksize, s_maxlen, s_first, s_sequence, s_start, s_errno;  // 12
///   __be32 s_feature_compat, s_feature_incompat, s_feature_ro_compat; // 36
///   __u8 s_uuid[16];                                                  // 48
///   __be32 s_nr_users, s_dynsuper, s_max_transaction, s_max_trans_data;   // 64
///   __u8 s_checksum_type; __u8 s_padding2[3];                         // 80
///   __be32 s_num_fc_blks, s_head; __u32 s_padding[40];                // 84
///   __be32 s_checksum;                                                // 252
///   __u8 s_users[16 * 48];                                            // 256
/// };
/// ```
final class LogLayout {
  static final int MAGIC = 0xC03B3998;

  static final int DESCRIPTOR = 1;
  static final int COMMIT = 2;
  static final int SUPERBLOCK_V1 = 3;
  static final int SUPERBLOCK_V2 = 4;
  static final int REVOKE = 5;

  static final int HEADER_BYTES = 12;
  static final int BLOCKTYPE = 4;
  static final int SEQUENCE = 8;

  static final int SUPERBLOCK_BYTES = 1024;
  static final int S_BLOCKSIZE = 12;
  static final int S_MAXLEN = 16;
  static final int S_FIRST = 20;
  static final int S_SEQUENCE = 24;
  static final int S_START = 28;
  static final int S_ERRNO = 32;
  static final int S_FEATURE_COMPAT = 36;
  static final int S_FEATURE_INCOMPAT = 40;
  static final int S_FEATURE_RO_COMPAT = 44;
  static final int S_UUID = 48;
  static final int S_NR_USERS = 64;
  static final int S_CHECKSUM_TYPE = 80;
  static final int S_HEAD = 88;
  static final int S_CHECKSUM = 252;

  /// A bit of `s_feature_compat` indicating that the commit block contains a CRC32 of the whole
  /// transaction.
  static final int COMPAT_CHECKSUM = 1;

  static final int INCOMPAT_REVOKE = 1;
  static final int INCOMPAT_64BIT = 2;
  static final int INCOMPAT_ASYNC_COMMIT = 4;
  static final int INCOMPAT_CSUM_V2 = 8;
  static final int INCOMPAT_CSUM_V3 = 0x10;
  static final int INCOMPAT_FAST_COMMIT = 0x20;

  static final int CRC32C_CHECKSUM = 4;

  static final int TAG_ESCAPE = 1;
  static final int TAG_SAME_UUID = 2;
  static final int TAG_LAST = 8;
  static final int UUID_BYTES = 16;

  /// The size of a revoke block's header and entries, in bytes.
  static final int R_COUNT = 12;

  static final int R_ENTRIES = 16;

  static final int H_CHKSUM_TYPE = 12;
  static final int H_CHKSUM_SIZE = 13;
  static final int H_CHKSUM = 16;
  static final int H_COMMIT_SEC = 48;
  static final int H_COMMIT_NSEC = 56;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private LogLayout() {}

  static int getInt(MemorySegment block, long at) {
    return block.get(INT, at);
  }

  static int getShort(MemorySegment block, long at) {
    return block.get(SHORT, at) & 0xFFFF;
  }

  static long getLong(MemorySegment block, long at) {
    return block.get(LONG, at);
  }

  static void setInt(MemorySegment block, long at, int value) {
    block.set(INT, at, value);
  }

  static void setShort(MemorySegment block, long at, int value) {
    block.set(SHORT, at, (short) value);
  }

  static void setLong(MemorySegment block, long at, long value) {
    block.set(LONG, at, value);
  }

  static void header(MemorySegment block, int type, int sequence) {
    setInt(block, 0, MAGIC);
    setInt(block, BLOCKTYPE, type);
    setInt(block, SEQUENCE, sequence);
  }

  /// Returns the type of a log block that has the expected sequence number, or 0 for any other
  /// block.
  static int typeOf(MemorySegment block, int sequence) {
    boolean ours = getInt(block, 0) == MAGIC && getInt(block, SEQUENCE) == sequence;
    return ours ? getInt(block, BLOCKTYPE) : 0;
  }
}
