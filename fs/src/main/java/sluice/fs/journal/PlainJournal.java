package sluice.fs.journal;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.fs.cache.FrameCache;
import sluice.fs.cache.FrameClaims;
import sluice.fs.cache.FrameLease;
import sluice.fs.cache.FrameRuns;
import sluice.memory.Memory;

/// A journal that does not write a log. This class is thread-safe.
///
/// A transaction holds the gate in shared mode. A sync holds it in exclusive mode while it leases
/// the changed blocks, so that it never observes an incomplete operation or a block that is being
/// written. Each sync ends an epoch. A point is the number of an epoch, and all changes before the
/// point become durable when that epoch ends.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | epoch | a sync, holding the gate alone | volatile | volatile |
/// | changed | threads that close a transaction, inside the gate; [#tryOverwrite] | volatile | volatile, once an epoch |
/// | stable | a sync, under its monitor | volatile | volatile |
public final class PlainJournal implements Journal {
  private final FrameCache cache;

  /// A reference to this journal for use by its transactions, because threads may keep transactions
  /// after the journal has been closed.
  private final AtomicReference<@Nullable PlainJournal> self = new AtomicReference<>(this);

  private final StampedLock gate = new StampedLock();
  private final ThreadLocal<PlainTransaction> transactions;
  private final StableNotifier notices = new StableNotifier(this::await);
  private final Object syncing = new Object();
  private final WriteOrder order = new WriteOrder();
  private volatile long stable;
  private volatile long epoch = 1;

  /// True if a transaction has been closed in the current epoch.
  private volatile boolean changed;

  private volatile boolean closed;

  public PlainJournal(FrameCache cache) {
    this.cache = cache;
    transactions = ThreadLocal.withInitial(() -> new PlainTransaction(self));
    cache.writeBack().holdBack(order::isHeldBack);
  }

  @Override
  public Transaction begin(int metadataBlocks) throws IOException {
    PlainTransaction transaction = transactions.get();
    if (transaction.open()) {
      transaction.join();
      return transaction;
    }
    if (closed) {
      throw new IllegalStateException("the journal is closed");
    }
    if (order.count() > cache.frames() / 8) {
      sync(); // blocks that are held back occupy frames of the cache
    }
    cache.throttle();
    transaction.begin(gate.readLock());
    return transaction;
  }

  /// Ends the outermost transaction of a thread.
  void ended(long stamp) {
    if (!changed) {
      changed = true;
    }
    gate.unlockRead(stamp);
  }

  /// Overwrites cached bytes without entering the gate, which saves two compare-and-set operations.
  /// The gate prevents a sync from observing an incomplete change. This is not necessary here
  /// because this change claims each block once, and a sync waits for the claim when it leases the
  /// block.
  ///
  /// The change cannot be missed by a sync. A sync first clears `changed` and then leases the
  /// frame, which is a compare-and-set of the lease count, as is the claim. If the frame is leased
  /// after the claim, it is also leased after the copy, and the sync writes the new bytes. If it is
  /// leased before the claim, this method observes that `changed` has been cleared.
  @Override
  public int tryOverwrite(long block, int offset, Memory from, long at, int bytes) {
    int put = closed ? 0 : cache.runs().overwriteChanged(block, offset, from, at, bytes);
    if (put > 0 && !changed) {
      changed = true;
    }
    return put;
  }

  FrameClaims claims() {
    return cache.claims();
  }

  /// Records that a block has to be written first. Called in a transaction before the block is
  /// changed.
  void writeFirst(long block) {
    order.first(block);
  }

  /// Records that a block has to be written last. Called in a transaction before the block is
  /// changed.
  void writeLast(long block) {
    order.last(block, epoch);
  }

  int blockBytes() {
    return cache.blockBytes();
  }

  FrameRuns runs() {
    return cache.runs();
  }

  @Override
  public boolean atomic() {
    return false;
  }

  @Override
  public long point() {
    return changed ? epoch : epoch - 1;
  }

  @Override
  public void await(long point) throws IOException {
    if (stable < point) {
      synchronized (syncing) {
        if (stable < point) { // another thread may have synced meanwhile
          syncAlone();
        }
      }
    }
  }

  @Override
  public void whenStable(long point, FileTree.StableListener then) {
    notices.add(point, then);
  }

  @Override
  public void sync() throws IOException {
    synchronized (syncing) {
      syncAlone();
    }
  }

  private void syncAlone() throws IOException {
    if (transactions.get().open()) {
      throw new IllegalStateException("a thread cannot wait for its own open transaction");
    }
    long stamp = gate.writeLock();
    long point;
    List<FrameLease> leased;
    List<FrameLease> last;
    try {
      point = epoch;
      epoch = point + 1;
      changed = false;
      leased = cache.writeBack().snapshot();
      last = order.turn(leased);
    } finally {
      gate.unlockWrite(stamp);
    }
    boolean written = false;
    try {
      cache.writeBack().write(leased);
      cache.device().flush();
      written = true;
    } finally {
      if (!written) {
        last.forEach(held -> held.frame().release());
      }
    }
    if (!last.isEmpty()) {
      cache.writeBack().write(last);
      cache.device().flush();
    }
    order.stable(point);
    stable = point;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      try {
        sync();
      } finally {
        closed = true;
        notices.close();
        self.set(null);
      }
    }
  }
}
