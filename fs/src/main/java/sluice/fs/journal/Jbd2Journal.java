package sluice.fs.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.fs.cache.FrameCache;
import sluice.fs.cache.FrameClaims;
import sluice.fs.cache.FrameLease;
import sluice.fs.cache.FrameRuns;
import sluice.fs.cache.Uninterruptibly;
import sluice.sys.Errno;
import sluice.sys.threads.ThreadEnds;

/// A journal that writes a log in the JBD2 format, in ordered mode. Any thread may begin and end
/// transactions, and the journal's thread commits them and writes blocks to their final locations.
///
/// A transaction holds the gate in shared mode. A commit holds it in exclusive mode while it leases
/// the changed blocks. If such a block is changed later, the change is made to a copy, so the
/// commit writes the state at that point in time while new transactions proceed.
///
/// The order of a commit is: file content to its final location → blocks to the log → flush →
/// commit block → flush → durable. The logged blocks are written to their final locations later,
/// using the committed versions.
///
/// The design follows Tweedie, "Journaling the Linux ext2fs Filesystem", LinuxExpo 1998.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | running, its sets | inside the gate, under the monitor | under the monitor | |
/// | wanted, stable, closing, over, idle, crowded, listeners | under the monitor | under the monitor | |
/// | settle, settled | under the monitor | under the monitor | |
/// | failure | under the monitor, once | volatile | volatile |
/// | log, writer, checkpoints | the journal's thread | plain | plain |
///
/// Lifecycle: opened after the log has been replayed. [#close] leaves an empty log. If a write or
/// flush fails, the journal ends: waiting threads receive the errno, later transactions fail with
/// `EROFS`, and the log on the device is preserved so that it can be replayed.
///
/// Transactions that are committed together may change at most a quarter of the log and of the
/// cache.
public final class Jbd2Journal implements Journal {
  private final FrameCache cache;

  /// The maximum age of a change that is not durable yet and for which no thread is waiting.
  private final long oldNanos;

  private final LogFile log;
  private final LogWriter writer;
  private final Checkpoints checkpoints;
  private final ThreadLocal<Jbd2Transaction> transactions;

  /// A reference to this journal for use by its transactions, because threads may keep transactions
  /// after the journal has been closed.
  private final AtomicReference<@Nullable Jbd2Journal> self = new AtomicReference<>(this);

  private final StampedLock gate = new StampedLock();
  private final StableListeners listeners = new StableListeners();
  private final int mostCredits;
  private final int mostVersions;
  private final Thread committer;
  private LogGroup running = new LogGroup(1);
  private @Nullable LogGroup committing;
  private long wanted;
  private long stable;
  private volatile @Nullable IOException failure;
  private boolean closing;

  /// True if the journal's thread has terminated.
  private boolean over;

  /// True while the journal's thread is waiting for work, and therefore has to be woken.
  private boolean idle;

  /// The number of threads that are waiting for room in the next group.
  private int crowded;

  /// The number of calls of [#settle]. The number of completed calls is [#settled].
  private long settle;

  private long settled;

  private Jbd2Journal(FrameCache cache, LogFile log, int sequence) {
    this.cache = cache;
    oldNanos = TimeUnit.MILLISECONDS.toNanos(cache.times().oldMillis());
    this.log = log;
    writer = new LogWriter(log, cache.device(), log.first(), sequence);
    checkpoints = new Checkpoints(log, cache.writeBack(), cache.device());
    transactions = ThreadLocal.withInitial(() -> new Jbd2Transaction(self));
    mostCredits = Math.min(log.capacity(), cache.frames()) / 4;
    mostVersions = cache.frames() / 8;
    committer = Thread.ofPlatform().daemon().name("sluice fs journal").unstarted(this::run);
  }

  /// Replays the log if necessary, and opens the journal.
  public static Jbd2Journal open(FrameCache cache, long[] places) throws IOException {
    LogFile log = LogFile.open(cache.device(), cache.blockBytes(), places);
    try {
      if (cache.device().readOnly()) {
        throw FsException.of(Errno.EROFS, "a journal on a device opened for reading");
      }
      LogReplay.Result replayed = LogReplay.run(log, places, new LogTarget.Places(cache));
      log.mark(log.first(), replayed.next(), 0);
      Jbd2Journal journal = new Jbd2Journal(cache, log, replayed.next());
      journal.committer.start();
      return journal;
    } catch (IOException | RuntimeException refused) {
      log.close();
      throw refused;
    }
  }

  /// Replays the log if necessary, and leaves it empty. Returns the number of blocks replayed.
  public static int replay(FrameCache cache, long[] places) throws IOException {
    try (LogFile log = LogFile.open(cache.device(), cache.blockBytes(), places)) {
      if (log.start() == 0) {
        return 0;
      }
      LogReplay.Result replayed = LogReplay.run(log, places, new LogTarget.Places(cache));
      log.mark(0, replayed.next(), 0);
      return replayed.blocks();
    }
  }

  // ---- transactions -----------------------------------------------------------------------------

  @Override
  public Transaction begin(int metadataBlocks) throws IOException {
    Jbd2Transaction transaction = transactions.get();
    if (transaction.open()) {
      joins(metadataBlocks);
      transaction.join();
      transaction.credit(metadataBlocks);
      return transaction;
    }
    if (metadataBlocks > mostCredits) {
      throw FsException.of(
          Errno.ENOSPC,
          "a transaction of "
              + metadataBlocks
              + " blocks; the journal and the cache allow "
              + mostCredits);
    }
    cache.throttle();
    while (true) {
      long stamp = gate.readLock();
      if (reserve(metadataBlocks, stamp)) {
        transaction.credit(metadataBlocks);
        transaction.begin(stamp);
        return transaction;
      }
    }
  }

  /// Adds credits to an open transaction. This method must not wait for a commit because the commit
  /// would wait for the transaction. The limits include a reserve for this case.
  ///
  /// @throws FsException `E2BIG` if the reserve is exhausted, in which case nothing is changed
  private synchronized void joins(int blocks) throws FsException {
    if (running.logged() + blocks > 2 * mostCredits) {
      throw FsException.of(
          Errno.E2BIG,
          "a group that may change "
              + blocks
              + " blocks more: what commits with it has changed "
              + running.logged()
              + ", of at most "
              + 2 * mostCredits
              + "; Fix: end the group, and do this in another");
    }
    running.credits += blocks;
  }

  /// Reserves credits in the running group.
  ///
  /// @return false if there was not enough room; in this case, this method has left the gate and
  ///   waited for the next group
  private boolean reserve(int blocks, long stamp) throws FsException {
    LogGroup full;
    synchronized (this) {
      if (failure != null || closing) {
        gate.unlockRead(stamp);
        throw readOnly();
      }
      if (running.logged() + running.credits + blocks <= mostCredits) {
        if (running.isEmpty() && running.credits == 0) {
          running.sinceNanos = System.nanoTime();
        }
        running.credits += blocks;
        return true;
      }
      full = running;
    }
    gate.unlockRead(stamp);
    synchronized (this) {
      want(full.point);
      crowded++;
      while (running == full && failure == null) {
        Uninterruptibly.await(this);
      }
      crowded--;
    }
    return false;
  }

  private FsException readOnly() {
    FsException refused =
        FsException.of(
            Errno.EROFS,
            failure == null ? "the journal is closed" : "the journal has failed: " + failure);
    if (failure != null) {
      refused.initCause(failure);
    }
    return refused;
  }

  /// Records that a transaction is changing a metadata block.
  void changed(long block) throws FsException {
    synchronized (this) {
      if (running.logged() >= 2 * mostCredits) {
        throw FsException.of(
            Errno.ENOSPC, "transactions changed more than " + running.logged() + " blocks");
      }
      running.metadata(block);
    }
  }

  /// Records that a transaction is changing contiguous blocks of content.
  void content(long block, int count) {
    synchronized (this) {
      for (long each = block; each < block + count; each++) {
        running.content(each);
      }
    }
  }

  /// Records that a block was freed.
  ///
  /// @return true if the block contains content of the group that is being committed, in which case
  ///   its frame must not be changed until that group is durable; content of older groups is
  ///   already on the device, and changes of the running group have not been promised to any caller
  synchronized boolean freed(long block, boolean content) {
    return running.free(block, content, committing);
  }

  /// Records that a change could not be completed. From now on, all uncommitted changes are lost.
  synchronized void abort(IOException reason) {
    if (failure == null) {
      failure = reason;
      notifyAll();
    }
  }

  /// Ends the outermost transaction of a thread.
  void ended(long stamp, int credits) {
    synchronized (this) {
      running.credits -= credits;
    }
    gate.unlockRead(stamp);
  }

  FrameClaims claims() {
    return cache.claims();
  }

  FrameRuns runs() {
    return cache.runs();
  }

  int blockBytes() {
    return cache.blockBytes();
  }

  @Override
  public boolean atomic() {
    return true;
  }

  @Override
  public boolean failed() {
    return failure != null;
  }

  @Override
  public synchronized boolean reusable(long block) {
    return !running.frees(block) && (committing == null || !committing.frees(block));
  }

  // ---- stability --------------------------------------------------------------------------------

  @Override
  public synchronized long point() {
    return running.isEmpty() ? running.point - 1 : running.point;
  }

  @Override
  public synchronized boolean stable(long point) {
    return stable >= point;
  }

  @Override
  public void await(long point) throws IOException {
    if (transactions.get().open()) {
      throw new IllegalStateException("a thread cannot wait for its own open transaction");
    }
    StableWaiter wait = new StableWaiter();
    whenStable(point, wait);
    wait.await();
  }

  private static int errno(IOException failure) {
    return failure instanceof FsException known ? known.errno() : Errno.EIO;
  }

  private static FsException ended(IOException failure) {
    return FsException.of(errno(failure), "the journal has failed: " + failure);
  }

  /// Requests a commit. Wakes the journal's thread if it is idle. If it is committing, it checks
  /// again afterwards.
  private void want(long point) {
    if (wanted < point) {
      wanted = point;
      if (idle) {
        notifyAll();
      }
    }
  }

  @Override
  public void whenStable(long point, FileTree.StableListener then) {
    IOException failed = null;
    synchronized (this) {
      if (stable < point) {
        failed = over ? reason() : failure;
        if (failed == null) {
          listeners.add(point, then);
          want(Math.min(point, running.point));
          return;
        }
      }
    }
    StableListeners.tell(then, failed == null ? null : ended(failed));
  }

  @Override
  public void sync() throws IOException {
    await(point());
  }

  @Override
  public void settle() throws IOException {
    sync();
    synchronized (this) {
      long mine = ++settle;
      notifyAll();
      while (settled < mine && !over) {
        Uninterruptibly.await(this);
      }
      if (settled < mine) {
        throw ended(reason());
      }
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      closing = true;
      notifyAll();
    }
    ThreadEnds.join(committer);
    self.set(null);
    synchronized (this) {
      if (failure != null) {
        throw ended(failure);
      }
    }
  }

  // ---- the journal's thread ---------------------------------------------------------------------

  private void run() {
    try {
      while (awaitWork()) {
        commit();
      }
      commit();
      checkpoints.writeAll(writer.sequence(), writer.head());
      log.mark(0, writer.sequence(), 0);
    } catch (IOException | RuntimeException | Error failed) {
      fail(failed instanceof IOException known ? known : new IOException(failed));
    } finally {
      checkpoints.abandon();
      log.close();
      tellOfTheEnd();
    }
  }

  /// Notifies all listeners that no further changes will become durable.
  private void tellOfTheEnd() {
    List<StableListeners.Waiting> told;
    IOException why;
    synchronized (this) {
      over = true;
      notifyAll();
      told = listeners.take(Long.MAX_VALUE);
      why = reason();
    }
    if (!told.isEmpty()) {
      StableListeners.tell(told, ended(why));
    }
  }

  private IOException reason() {
    IOException known = failure;
    return known == null ? new IOException("it is closed") : known;
  }

  /// Waits until there is a reason to commit.
  ///
  /// @return false if the journal is being closed
  private synchronized boolean awaitWork() {
    while (true) {
      if (closing) {
        return false;
      }
      if (failure != null) {
        return true; // the commit reports the failure
      }
      long age = running.isEmpty() ? 0 : System.nanoTime() - running.sinceNanos;
      if (wanted >= running.point || age >= oldNanos || settled < settle) {
        return true;
      }
      idle = true;
      Uninterruptibly.awaitAsOwn(this);
      idle = false;
    }
  }

  private void commit() throws IOException {
    LogGroup group;
    List<FrameLease> metadata = new ArrayList<>();
    List<FrameLease> content = new ArrayList<>();
    long stamp = gate.writeLock();
    try {
      synchronized (this) {
        if (failure != null) {
          throw failure;
        }
        group = running;
        running = new LogGroup(group.point + 1);
        committing = group;
        if (crowded > 0) {
          notifyAll();
        }
      }
      lend(group.metadataBlocks(), false, metadata);
      lend(group.contentBlocks(), true, content);
    } finally {
      gate.unlockWrite(stamp);
    }
    try {
      cache.writeBack().write(content);
      for (long block : group.keptBlocks()) {
        cache.claims().drop(block);
      }
      if (group.needsLog()) {
        log(metadata, group.revokedBlocks());
      } else if (!group.isEmpty()) {
        cache.device().flush();
      }
    } catch (IOException | RuntimeException | Error failed) {
      metadata.forEach(leased -> leased.frame().release());
      throw failed;
    }
    List<StableListeners.Waiting> told;
    synchronized (this) {
      stable = group.point;
      committing = null;
      told = listeners.take(stable);
    }
    StableListeners.tell(told, null);
    writeToPlaces();
  }

  /// Writes blocks to their final locations if there are many of them, or if [#settle] was called.
  private void writeToPlaces() throws IOException {
    long asked;
    boolean wantsIt;
    synchronized (this) {
      asked = settle;
      wantsIt = asked > settled;
    }
    if (wantsIt || checkpoints.versions() > mostVersions) {
      checkpoints.writeAll(writer.sequence(), writer.head());
    }
    synchronized (this) {
      settled = asked;
      notifyAll();
    }
  }

  private void lend(long[] blocks, boolean onlyDirty, List<FrameLease> into) {
    for (long block : blocks) {
      FrameLease leased = cache.claims().lend(block, onlyDirty);
      if (leased != null) {
        into.add(leased);
      }
    }
  }

  private void log(List<FrameLease> metadata, long[] revoked) throws IOException {
    int blocks = writer.blocksFor(metadata.size(), revoked.length);
    if (blocks > log.capacity()) {
      throw FsException.of(Errno.ENOSPC, "a transaction of " + blocks + " blocks for the log");
    }
    checkpoints.free(blocks, writer.sequence(), writer.head());
    int sequence = writer.sequence();
    int start = writer.head();
    writer.commit(metadata, revoked);
    cache.claims().committed(metadata);
    checkpoints.committed(sequence, start, blocks, new ArrayList<>(metadata), revoked);
    metadata.clear();
  }

  private void fail(IOException reason) {
    abort(reason);
    try {
      log.mark(log.start(), log.sequence(), -Errno.EIO);
    } catch (IOException | RuntimeException alsoFailed) {
      reason.addSuppressed(alsoFailed);
    }
  }
}
