package sluice.fs.journal;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.fs.block.BlockDevice;
import sluice.fs.cache.FrameLease;
import sluice.fs.cache.WriteBack;

/// The blocks that have been written to the log but not to their final locations yet. For each
/// block, a lease of the newest committed version is held. Instances are confined to the journal's
/// thread.
///
/// The log begins with the oldest transaction that still has a version here. After versions have
/// been written to their final locations, the beginning of the log is advanced, which frees space
/// in the log.
final class Checkpoints {
  /// A transaction in the log.
  private record Logged(int sequence, int start, int blocks) {}

  private record Version(FrameLease leased, int sequence) {}

  private final LogFile log;
  private final WriteBack writeBack;
  private final BlockDevice device;
  private final ArrayDeque<Logged> transactions = new ArrayDeque<>();

  /// The versions, ordered from oldest to newest.
  private final Map<Long, Version> versions = new LinkedHashMap<>();

  private int used;

  Checkpoints(LogFile log, WriteBack writeBack, BlockDevice device) {
    this.log = log;
    this.writeBack = writeBack;
    this.device = device;
  }

  /// Returns the number of blocks of the log that are in use.
  int usedBlocks() {
    return used;
  }

  /// Returns the number of versions in memory.
  int versions() {
    return versions.size();
  }

  /// Adds a committed transaction. Its leases are transferred to this object.
  void committed(int sequence, int start, int blocks, List<FrameLease> metadata, long[] revoked) {
    transactions.add(new Logged(sequence, start, blocks));
    used += blocks;
    for (long block : revoked) {
      drop(versions.remove(block));
    }
    for (FrameLease leased : metadata) {
      drop(versions.remove(leased.number()));
      versions.put(leased.number(), new Version(leased, sequence));
    }
  }

  private static void drop(@Nullable Version version) {
    if (version != null) {
      version.leased.frame().release();
    }
  }

  /// Writes versions to their final locations, oldest first, until the log has `blocks` free
  /// blocks. If anything has to be written, at least a quarter of the log is freed if possible,
  /// because each write-back requires two flushes, which would otherwise be necessary for every
  /// transaction when the log is full.
  ///
  /// @param next the sequence number of the next transaction
  /// @param head the position of the next transaction in the log
  void free(int blocks, int next, int head) throws IOException {
    int wanted = used - (log.capacity() - blocks);
    if (wanted <= 0) {
      return;
    }
    wanted = Math.max(wanted, Math.min(used, log.capacity() / 4));
    int last = next;
    int freed = 0;
    for (Logged logged : transactions) {
      last = logged.sequence;
      freed += logged.blocks;
      if (freed >= wanted) {
        break;
      }
    }
    writeUpTo(last, next, head);
  }

  /// Writes all versions to their final locations.
  void writeAll(int next, int head) throws IOException {
    if (!transactions.isEmpty()) {
      writeUpTo(next, next, head);
    }
  }

  private void writeUpTo(int sequence, int next, int head) throws IOException {
    List<FrameLease> old = new ArrayList<>();
    for (Version version : versions.values()) {
      if (version.sequence - sequence > 0) {
        break;
      }
      old.add(version.leased);
    }
    writeBack.writeAll(old);
    device.flush();
    Iterator<Version> gone = versions.values().iterator();
    for (int i = 0; i < old.size(); i++) {
      Version version = gone.next();
      gone.remove();
      drop(version);
    }
    while (!transactions.isEmpty() && transactions.getFirst().sequence - sequence <= 0) {
      used -= transactions.removeFirst().blocks;
    }
    boolean empty = transactions.isEmpty();
    int start = empty ? head : transactions.getFirst().start;
    log.mark(start, empty ? next : transactions.getFirst().sequence, 0);
  }

  /// Releases all versions without writing them. Called after a failure.
  void abandon() {
    versions.values().forEach(Checkpoints::drop);
    versions.clear();
  }
}
