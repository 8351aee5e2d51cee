package sluice.fs.journal;

import static sluice.fs.journal.LogLayout.getInt;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.memory.block.Block;

/// Replays a log after a crash, using the same passes as Linux: it finds the last transaction that
/// has a commit block, collects the revoked blocks, and then passes the remaining blocks to the
/// target. Instances are confined to one thread.
///
/// The content of a log is not trusted. Each number is validated before it is used, and each pass
/// reads each block of the log at most once.
final class LogReplay {
  private final LogFile log;
  private final LogFormat format;
  private final LogTarget target;
  private final long blocks;
  private final Block header;
  private final Block content;

  /// The highest sequence number in which each block was revoked.
  private final LongIntMap revoked;

  /// The device blocks of the log itself, in ascending order.
  private final long[] own;

  private int transactions;
  private int written;

  private LogReplay(LogFile log, long[] places, LogTarget target, Block header, Block content) {
    this.log = log;
    this.target = target;
    this.header = header;
    this.content = content;
    format = log.format();
    blocks = target.blocks();
    revoked = new LongIntMap(target.mostRevoked());
    own = places.clone();
    Arrays.sort(own);
  }

  /// The result of a replay.
  ///
  /// @param transactions the number of transactions that have a commit block
  /// @param blocks the number of blocks that were passed to the target
  /// @param next a sequence number that does not occur in the log
  record Result(int transactions, int blocks, int next) {}

  /// Replays a log.
  ///
  /// @throws FsException `EUCLEAN` if the log is inconsistent, in which case no block was passed to
  ///   the target
  static Result run(LogFile log, long[] places, LogTarget target) throws IOException {
    if (log.start() == 0) {
      return new Result(0, 0, log.sequence());
    }
    Block header = LogFile.scratch(log.blockBytes());
    Block content = LogFile.scratch(log.blockBytes());
    try {
      return new LogReplay(log, places, target, header, content).run();
    } finally {
      header.release();
      content.release();
    }
  }

  private Result run() throws IOException {
    int end = scan();
    pass(end, Pass.REVOKE);
    pass(end, Pass.CHECK);
    pass(end, Pass.WRITE);
    if (written > 0) {
      target.end();
    }
    // One number is skipped, so that an old commit block after the end of the log never matches.
    return new Result(transactions, written, end + 1);
  }

  private enum Pass {
    REVOKE,
    CHECK,
    WRITE
  }

  /// Returns the first sequence number for which there is no valid commit block.
  private int scan() throws IOException {
    int sequence = log.sequence();
    int at = log.start();
    BigEndianCrc32 sum = new BigEndianCrc32();
    boolean sumsWhole = (format.compat() & LogLayout.COMPAT_CHECKSUM) != 0 && !format.summed();
    int looked = 0;
    while (looked < log.capacity()) {
      log.read(at, header);
      MemorySegment block = header.segment();
      int skip = 1;
      switch (LogLayout.typeOf(block, sequence)) {
        case LogLayout.DESCRIPTOR -> {
          if (!format.sealFits(block)) {
            return sequence;
          }
          int tags = tags(at, null);
          if (looked + tags >= log.capacity()) {
            return sequence;
          }
          if (sumsWhole) {
            sum.update(block);
            for (int i = 1; i <= tags; i++) {
              log.read(log.after(at, i), content);
              sum.update(content.segment());
            }
          }
          skip = tags + 1;
        }
        case LogLayout.REVOKE -> {
          if (!format.sealFits(block)) {
            return sequence;
          }
        }
        case LogLayout.COMMIT -> {
          if (!format.commitFits(block) || (sumsWhole && !wholeFits(block, sum))) {
            return sequence;
          }
          sum.reset();
          sequence++;
          transactions++;
        }
        default -> {
          return sequence;
        }
      }
      looked += skip;
      at = log.after(at, skip);
    }
    return sequence;
  }

  /// Returns true if the checksum of a whole transaction is correct. As in Linux, a commit block
  /// without a checksum is also valid.
  private static boolean wholeFits(MemorySegment commit, BigEndianCrc32 sum) {
    int kind = commit.get(ValueLayout.JAVA_BYTE, LogLayout.H_CHKSUM_TYPE);
    int size = commit.get(ValueLayout.JAVA_BYTE, LogLayout.H_CHKSUM_SIZE);
    int found = getInt(commit, LogLayout.H_CHKSUM);
    return (kind == 1 && size == 4 && found == sum.value())
        || (kind == 0 && size == 0 && found == 0);
  }

  private void pass(int end, Pass pass) throws IOException {
    int sequence = log.sequence();
    int at = log.start();
    while (sequence != end) {
      log.read(at, header);
      int skip = 1;
      switch (LogLayout.typeOf(header.segment(), sequence)) {
        case LogLayout.DESCRIPTOR -> skip = 1 + tags(at, pass == Pass.REVOKE ? null : pass);
        case LogLayout.REVOKE -> {
          if (pass == Pass.REVOKE) {
            revoke(at, sequence);
          }
        }
        case LogLayout.COMMIT -> sequence++;
        default -> throw corrupt(at, "the log has changed while it was read");
      }
      at = log.after(at, skip);
    }
  }

  /// Processes the tags of the descriptor in `header`.
  ///
  /// @param pass the current pass, or null if the tags are only counted
  /// @return the number of content blocks that follow
  private int tags(int index, @Nullable Pass pass) throws IOException {
    MemorySegment block = header.segment();
    int sequence = getInt(block, LogLayout.SEQUENCE);
    int count = 0;
    int at = LogLayout.HEADER_BYTES;
    while (at + format.tagBytes() <= format.bodyEnd()) {
      int flags = format.tagFlags(block, at);
      count++;
      if (pass != null) {
        replay(index, log.after(index, count), at, sequence, pass);
      }
      if ((flags & LogLayout.TAG_LAST) != 0) {
        break;
      }
      at += format.tagBytes();
      at += (flags & LogLayout.TAG_SAME_UUID) == 0 ? LogLayout.UUID_BYTES : 0;
    }
    return count;
  }

  private void replay(int descriptor, int index, int tag, int sequence, Pass pass)
      throws IOException {
    long number = format.tagBlock(header.segment(), tag);
    if (revoked.contains(number) && revoked.getOrDefault(number, 0) - sequence >= 0) {
      return;
    }
    if (number >= blocks || Arrays.binarySearch(own, number) >= 0) {
      throw corrupt(descriptor, "the log names block " + number + " as the place of its content");
    }
    log.read(index, content);
    MemorySegment bytes = content.segment();
    if (pass == Pass.CHECK) {
      if (!format.tagFits(header.segment(), tag, sequence, bytes)) {
        throw corrupt(index, "the checksum of the content of block " + number + " is wrong");
      }
      return;
    }
    boolean escaped = (format.tagFlags(header.segment(), tag) & LogLayout.TAG_ESCAPE) != 0;
    if (escaped) {
      LogLayout.setInt(bytes, 0, LogLayout.MAGIC);
    }
    target.take(number, index, escaped, bytes);
    written++;
  }

  private void revoke(int index, int sequence) throws FsException {
    MemorySegment block = header.segment();
    int end = getInt(block, LogLayout.R_COUNT);
    if (end < LogLayout.R_ENTRIES || end > format.bodyEnd()) {
      throw corrupt(index, "a revoke block of " + end + " bytes");
    }
    int size = format.revokeEntryBytes();
    for (int at = LogLayout.R_ENTRIES; at + size <= end; at += size) {
      long number = size == 8 ? LogLayout.getLong(block, at) : getInt(block, at) & 0xFFFF_FFFFL;
      boolean newer = sequence - revoked.getOrDefault(number, sequence - 1) > 0;
      if (newer && !revoked.put(number, sequence)) {
        throw target.tooManyRevoked();
      }
    }
  }

  private FsException corrupt(int index, String what) {
    return FsException.corrupt(0, log.position(index) / log.blockBytes(), "journal: " + what);
  }
}
