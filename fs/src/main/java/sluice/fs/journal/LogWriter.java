package sluice.fs.journal;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BlockDevice.Transfer;
import sluice.fs.cache.FrameLease;
import sluice.memory.block.Block;

/// Writes transactions to the log. Instances are confined to the journal's thread.
///
/// ```
///   head ─▶ descriptor, content, content, … descriptor, … revoke, …  ║flush║  commit  ║flush║
/// ```
final class LogWriter {
  private final LogFile log;
  private final LogFormat format;
  private final BlockDevice device;
  private final Clock clock = Clock.systemUTC();
  private final List<Block> scratch = new ArrayList<>();
  private final List<Transfer> transfers = new ArrayList<>();

  /// The position of the next block in the log. The number of the next transaction is [#sequence].
  private int head;

  private int sequence;

  LogWriter(LogFile log, BlockDevice device, int head, int sequence) {
    this.log = log;
    this.device = device;
    this.head = head;
    this.sequence = sequence;
    format = log.format();
  }

  int head() {
    return head;
  }

  int sequence() {
    return sequence;
  }

  /// Returns the number of log blocks that a transaction requires.
  int blocksFor(int metadata, int revoked) {
    int descriptors = (metadata + format.tagsPerBlock() - 1) / format.tagsPerBlock();
    int revokes = (revoked + format.revokesPerBlock() - 1) / format.revokesPerBlock();
    return descriptors + metadata + revokes + 1;
  }

  /// Writes a transaction and makes it durable, together with everything that was written before.
  void commit(List<FrameLease> metadata, long[] revoked) throws IOException {
    try {
      for (int from = 0; from < metadata.size(); from += format.tagsPerBlock()) {
        int to = Math.min(metadata.size(), from + format.tagsPerBlock());
        describe(metadata.subList(from, to));
      }
      for (int from = 0; from < revoked.length; from += format.revokesPerBlock()) {
        revoke(revoked, from, Math.min(revoked.length, from + format.revokesPerBlock()));
      }
      clearCommitBlock();
      device.write(transfers.toArray(Transfer[]::new), transfers.size());
      device.flush();
      transfers.clear();
      commitBlock();
      device.write(transfers.toArray(Transfer[]::new), transfers.size());
      device.flush();
      sequence++;
    } finally {
      transfers.clear();
      scratch.forEach(Block::release);
      scratch.clear();
    }
  }

  private void describe(List<FrameLease> part) {
    Block descriptor = fresh(LogLayout.DESCRIPTOR);
    MemorySegment tags = descriptor.segment();
    place(descriptor);
    int at = LogLayout.HEADER_BYTES;
    for (int i = 0; i < part.size(); i++) {
      Block content = part.get(i).frame();
      int flags = (i == 0 ? 0 : LogLayout.TAG_SAME_UUID);
      flags |= i == part.size() - 1 ? LogLayout.TAG_LAST : 0;
      if (LogLayout.getInt(content.segment(), 0) == LogLayout.MAGIC) {
        flags |= LogLayout.TAG_ESCAPE;
        content = escaped(content);
      }
      format.setTag(tags, at, part.get(i).number(), flags, sequence, content.segment());
      at += format.tagBytes();
      if (i == 0) {
        MemorySegment.copy(format.uuid(), 0, tags, ValueLayout.JAVA_BYTE, at, 16);
        at += LogLayout.UUID_BYTES;
      }
      place(content);
    }
    format.seal(tags);
  }

  private void revoke(long[] blocks, int from, int to) {
    Block block = fresh(LogLayout.REVOKE);
    MemorySegment entries = block.segment();
    int at = LogLayout.R_ENTRIES;
    for (int i = from; i < to; i++) {
      if (format.revokeEntryBytes() == 8) {
        LogLayout.setLong(entries, at, blocks[i]);
      } else {
        LogLayout.setInt(entries, at, (int) blocks[i]);
      }
      at += format.revokeEntryBytes();
    }
    LogLayout.setInt(entries, LogLayout.R_COUNT, at);
    format.seal(entries);
    place(block);
  }

  /// Fills the location of the commit block with zeros. All fields of a commit block are in its
  /// first sector, so a torn write leaves either a complete commit block or none. This is necessary
  /// because Linux rejects a log that has a commit block with an incorrect checksum.
  private void clearCommitBlock() {
    Block zeros = LogFile.scratch(log.blockBytes());
    scratch.add(zeros);
    transfers.add(new Transfer(log.position(head), zeros, 0, log.blockBytes()));
  }

  private void commitBlock() {
    Block block = fresh(LogLayout.COMMIT);
    Instant now = clock.instant();
    LogLayout.setLong(block.segment(), LogLayout.H_COMMIT_SEC, now.getEpochSecond());
    LogLayout.setInt(block.segment(), LogLayout.H_COMMIT_NSEC, now.getNano());
    format.sealCommit(block.segment());
    place(block);
  }

  private Block fresh(int type) {
    Block block = LogFile.scratch(log.blockBytes());
    scratch.add(block);
    LogLayout.header(block.segment(), type, sequence);
    return block;
  }

  /// Returns a copy of content that begins like a log block. The magic number is replaced by zeros
  /// in the copy.
  private Block escaped(Block content) {
    Block copy = LogFile.scratch(log.blockBytes());
    scratch.add(copy);
    copy.segment().copyFrom(content.segment());
    LogLayout.setInt(copy.segment(), 0, 0);
    return copy;
  }

  private void place(Block block) {
    transfers.add(new Transfer(log.position(head), block, 0, log.blockBytes()));
    head = log.after(head, 1);
  }
}
