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

/// A journal without a log. Any thread may call.
///
/// Transactions hold the gate for reading; a sync holds it alone for the moment in which it leases
/// what is changed, so that it sees no half of an operation and nothing that a writer has in hand.
/// Each sync ends an epoch: a point is the epoch whose end makes everything before it stable.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | epoch | a sync, holding the gate alone | volatile | volatile |
/// | changed | threads that close a transaction, inside the gate; [#tryOverwrite] | volatile | volatile, once an epoch |
/// | stable | a sync, under its monitor | volatile | volatile |
public final class PlainJournal implements Journal {
  private final FrameCache cache;

  /// What the transactions know of it, which threads keep longer than the journal lives.
  private final AtomicReference<@Nullable PlainJournal> self = new AtomicReference<>(this);

  private final StampedLock gate = new StampedLock();
  private final ThreadLocal<PlainTransaction> transactions;
  private final StableNotifier notices = new StableNotifier(this::await);
  private final Object syncing = new Object();
  private final WriteOrder order = new WriteOrder();
  private volatile long stable;
  private volatile long epoch = 1;

  /// Whether a transaction was closed in this epoch.
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
      sync(); // what is held back takes the memory of what may be written
    }
    cache.throttle();
    transaction.begin(gate.readLock());
    return transaction;
  }

  /// The outermost transaction of a thread is over.
  void ended(long stamp) {
    if (!changed) {
      changed = true;
    }
    gate.unlockRead(stamp);
  }

  /// Without the gate, which two compare-and-sets would cost. It keeps half a change from a sync;
  /// this change is one claim of each block, which a sync waits for when it leases what is changed.
  ///
  /// Why no sync is missed: a sync empties `changed` and then leases a frame, which like our claim
  /// is a compare-and-set of its leases. Either it comes after our claim, and so after the copy,
  /// and writes what we wrote. Or it comes before, and then we find `changed` empty.
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

  /// Inside a transaction, before the change.
  void writeFirst(long block) {
    order.first(block);
  }

  /// Inside a transaction, before the change.
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
        if (stable < point) { // the thread before us has not done it for us
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
