package sluice.nfs.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import sluice.fs.FileTree;
import sluice.nfs.rpc.DuplicateKey;

/// Replies to non-idempotent calls, stored in the exported tree so that they survive a restart.
/// This class is thread-safe. A reply is written within the [FileTree.Group] of the change that it
/// reports, so that the change and the reply either both become stable or are both lost.
///
/// The file is a ring of [ReplyRecord]s of fixed length with journaled data. Slots that are not
/// valid records are ignored.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | next, slot, file | any thread | under the lock | under the lock |
///
/// The lock is acquired within an open transaction. Therefore no thread may wait for the journal
/// while it holds the lock.
public final class PersistentReplies implements AutoCloseable {
  public static final int SLOTS = 1024;

  private static final int PIECE_SLOTS = 64;

  private final ReentrantLock lock = new ReentrantLock();
  private final ServerFile file;
  private final byte[] slot = new byte[ReplyRecord.BYTES];
  private final List<ReplyRecord.Content> restored = new ArrayList<>();
  private long next;

  /// Reads the file, and extends it to its full length.
  PersistentReplies(FileTree tree, long inode) throws IOException {
    file = new ServerFile(tree, inode, PIECE_SLOTS * ReplyRecord.BYTES);
    try {
      load(tree.attributes(inode).sizeBytes());
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private void load(long sizeBytes) throws IOException {
    for (int slot = 0; slot < SLOTS; slot += PIECE_SLOTS) {
      long position = (long) slot * ReplyRecord.BYTES;
      byte[] bytes = new byte[PIECE_SLOTS * ReplyRecord.BYTES];
      if (position + bytes.length > sizeBytes) {
        file.write(position, bytes);
        continue;
      }
      bytes = file.read(position, bytes.length);
      for (int at = 0; at + ReplyRecord.BYTES <= bytes.length; at += ReplyRecord.BYTES) {
        ReplyRecord.Content content = ReplyRecord.decode(bytes, at);
        if (content != null && content.sequence() < Long.MAX_VALUE / 2) {
          restored.add(content);
        }
      }
    }
    restored.sort(Comparator.comparingLong(ReplyRecord.Content::sequence));
    next = restored.isEmpty() ? 0 : restored.getLast().sequence() + 1;
  }

  /// Returns the records that were written before the server was started, oldest first.
  public List<ReplyRecord.Content> restored() {
    return List.copyOf(restored);
  }

  /// Writes a record. A reply that is too long for a record is not stored, because only the replies
  /// to idempotent procedures are that long.
  public void write(DuplicateKey call, byte[] answer) throws IOException {
    lock.lock();
    try {
      if (ReplyRecord.encode(next, call, answer, slot)) {
        file.write(next % SLOTS * ReplyRecord.BYTES, slot);
        next++;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    file.close();
  }
}
