package sluice.fs.ext2.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import sluice.fs.ext2.layout.SuperblockLayout;

/// The parameters of a new file system. Instances are immutable and thread-safe.
///
/// @param blockBytes the block size, which is 1024, 2048 or 4096
/// @param bytesPerInode the number of bytes of the device for each inode
/// @param reservedPercent the percentage of blocks that are reserved for root, 0 to 50
/// @param label the name of the volume, at most 16 bytes in UTF-8
/// @param uuid an identifier that distinguishes images
/// @param journalBlocks the length of the journal in blocks, or 0 for no journal
public record FormatOptions(
    int blockBytes,
    int bytesPerInode,
    int reservedPercent,
    String label,
    UUID uuid,
    int journalBlocks) {

  /// The minimum length of a journal (`JBD2_MIN_JOURNAL_BLOCKS`).
  public static final int MIN_JOURNAL_BLOCKS = 1024;

  private static final int MAX_JOURNAL_BLOCKS = 16_384;

  public FormatOptions {
    if (blockBytes != 1024 && blockBytes != 2048 && blockBytes != 4096) {
      throw new IllegalArgumentException("blocks are 1024, 2048 or 4096 bytes, not " + blockBytes);
    }
    if (bytesPerInode < blockBytes || bytesPerInode > 64 << 20) {
      throw new IllegalArgumentException(
          "bytes per inode are one block to 64 MiB, not " + bytesPerInode);
    }
    if (reservedPercent < 0 || reservedPercent > 50) {
      throw new IllegalArgumentException("reserved are 0 to 50 %, not " + reservedPercent);
    }
    if (label.getBytes(StandardCharsets.UTF_8).length > SuperblockLayout.VOLUME_NAME_BYTES) {
      throw new IllegalArgumentException("a label has at most 16 bytes: " + label);
    }
    if (journalBlocks != 0 && journalBlocks < MIN_JOURNAL_BLOCKS) {
      throw new IllegalArgumentException(
          "a journal has at least " + MIN_JOURNAL_BLOCKS + " blocks, not " + journalBlocks);
    }
  }

  /// Returns suitable parameters for a device of the given size. The block size is 4 KiB for
  /// devices of at least 512 MiB and 1 KiB for smaller devices. The uuid is random, and there is a
  /// journal if the device is large enough.
  public static FormatOptions forDevice(long deviceBytes) {
    int blockBytes = deviceBytes < 512L << 20 ? 1024 : 4096;
    int bytesPerInode = deviceBytes < 3L << 20 ? 8192 : deviceBytes < 512L << 20 ? 4096 : 16_384;
    return new FormatOptions(blockBytes, bytesPerInode, 5, "", UUID.randomUUID(), 0)
        .withJournal(deviceBytes);
  }

  public FormatOptions withBlockBytes(int bytes) {
    return new FormatOptions(
        bytes, Math.max(bytes, bytesPerInode), reservedPercent, label, uuid, journalBlocks);
  }

  public FormatOptions withBytesPerInode(int bytes) {
    return new FormatOptions(blockBytes, bytes, reservedPercent, label, uuid, journalBlocks);
  }

  public FormatOptions withReservedPercent(int percent) {
    return new FormatOptions(blockBytes, bytesPerInode, percent, label, uuid, journalBlocks);
  }

  public FormatOptions withLabel(String name) {
    return new FormatOptions(blockBytes, bytesPerInode, reservedPercent, name, uuid, journalBlocks);
  }

  public FormatOptions withUuid(UUID id) {
    return new FormatOptions(blockBytes, bytesPerInode, reservedPercent, label, id, journalBlocks);
  }

  public FormatOptions withJournalBlocks(int blocks) {
    return new FormatOptions(blockBytes, bytesPerInode, reservedPercent, label, uuid, blocks);
  }

  /// Returns a copy of these parameters with a journal of a suitable length. The length is a 32nd
  /// of the device within the limits, and a small device has no journal.
  public FormatOptions withJournal(long deviceBytes) {
    long blocks = deviceBytes / blockBytes;
    long journal = Math.clamp(blocks / 32, MIN_JOURNAL_BLOCKS, MAX_JOURNAL_BLOCKS);
    return withJournalBlocks(blocks < 2 * MIN_JOURNAL_BLOCKS ? 0 : (int) journal);
  }

  byte[] uuidBytes() {
    return ByteBuffer.allocate(16)
        .putLong(uuid.getMostSignificantBits())
        .putLong(uuid.getLeastSignificantBits())
        .array();
  }
}
