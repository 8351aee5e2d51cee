package sluice.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;
import sluice.sys.NativeMemory;
import sluice.sys.threads.HostThread;

/// A set of lent memories that share one arena, so that a single handshake with all threads can
/// revoke many references. This is a form of epoch-based reclamation in which the arena's handshake
/// is the grace period (Fraser, "Practical Lock-Freedom", 2004, section 5.2.3).
///
/// ```
/// join ──▶ open cohort, at most 1024 ─256 revoked, or 0.5 ms after the first──▶ retired ──▶ closed
///                   ▲                                                            │
///                   └────── members that are not revoked get another alias ──────┘
/// ```
///
/// Before a cohort closes its arena, it moves its live members to the open cohort and then performs
/// a separate handshake with all threads. Compiled code reads a reference's alias at most once
/// between two safepoint polls, so it uses the new alias after this handshake. An access in
/// interpreted code may still fail, in which case it detects that its memory was moved and is
/// retried. Retries must be rare, because once the retry path has been compiled, every loop over
/// any memory takes four to six times as long. The leases of the revoked blocks are released after
/// the last handshake.
///
/// A cohort is retired and closed in a single step under `CLOSING`, because a member that was moved
/// also has aliases in earlier cohorts, which must be closed before its own cohort. This class is
/// thread-safe. `CLOSING` is acquired before `LOCK`. The daemon thread `sluice-revoke`, which runs
/// the timer, is started when the first batch is created. A domain's thread may start it while it
/// holds `LOCK`.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all, and those of the members | any thread | under `LOCK` | under `LOCK` |
final class Cohort {
  private static final int MOST_MEMBERS = 1024;

  /// The number of revoked members at which a cohort is closed without waiting for the timer.
  static final int BATCH = 256;

  /// The delay of the timer, which is half of the promised time. The other half allows for the
  /// inaccuracy of the timer and for the handshake.
  private static final long DELAY_NANOS = 500_000;

  /// A lock that prevents all handshakes while it is held. Tests hold it for this purpose.
  static final Object CLOSING = new Object();

  private static final Object LOCK = new Object();

  /// The cohorts that have revoked members, ordered by the time at which they are due. Some of them
  /// may already be retired.
  private static final ArrayDeque<Cohort> DUE = new ArrayDeque<>();

  private static Cohort open = new Cohort();
  private static @Nullable Thread timer;
  private static boolean timerIdle;
  private static long again;

  private final Arena arena = Arena.ofShared();
  private final List<MemoryRoot> members = new ArrayList<>();
  private final List<MemoryRoot> revoked = new ArrayList<>();
  private int joined;
  private boolean retired;
  private long dueNanos;

  private Cohort() {}

  /// Adds a memory to the open cohort.
  ///
  /// @param block the block, whose lease is transferred from the caller to the root
  static RangeMemory join(Block block, MemorySegment whole) {
    MemoryRoot root = new MemoryRoot(block, whole, null);
    synchronized (LOCK) {
      Cohort cohort = enter(root);
      RangeMemory memory = new RangeMemory(root, NativeMemory.alias(whole, cohort.arena), false);
      root.references.add(memory);
      return memory;
    }
  }

  private static Cohort enter(MemoryRoot root) {
    if (open.joined == MOST_MEMBERS) {
      open = new Cohort();
    }
    Cohort cohort = open;
    cohort.joined++;
    root.cohort = cohort;
    root.index = cohort.members.size();
    cohort.members.add(root);
    return cohort;
  }

  static RangeMemory part(MemoryRoot root, RangeMemory of, UnaryOperator<MemorySegment> range) {
    synchronized (LOCK) {
      root.checkLive();
      RangeMemory part = new RangeMemory(root, range.apply(of.segment), true);
      root.references.add(part);
      return part;
    }
  }

  /// Returns the current alias of the given reference, so that a failed access can be retried.
  static MemorySegment moved(RangeMemory memory) {
    synchronized (LOCK) {
      again++;
      return memory.segment;
    }
  }

  /// Returns the number of accesses that have failed and been retried with another alias since the
  /// JVM was started.
  static long again() {
    synchronized (LOCK) {
      return again;
    }
  }

  /// Revokes a member together with the next batch.
  ///
  /// @return false if the member has already ended
  static boolean revoke(MemoryRoot root) {
    @Nullable Cohort full = null;
    synchronized (LOCK) {
      if (!root.end()) {
        return false;
      }
      Cohort cohort = leave(root);
      cohort.revoked.add(root);
      if (cohort.revoked.size() >= BATCH) {
        full = cohort;
      } else if (cohort.revoked.size() == 1) {
        cohort.dueNanos = System.nanoTime() + DELAY_NANOS;
        DUE.add(cohort);
        wakeTimer();
      }
    }
    if (full != null) {
      full.close();
    }
    return true;
  }

  /// Revokes a member immediately. Its lease is transferred to the caller.
  ///
  /// @return false if the member has already ended
  static boolean tryRevokeNow(MemoryRoot root) {
    Cohort cohort;
    synchronized (LOCK) {
      if (!root.end()) {
        return false;
      }
      cohort = leave(root);
    }
    cohort.close();
    return true;
  }

  private static Cohort leave(MemoryRoot root) {
    Cohort cohort = root.cohort;
    if (cohort == null) {
      throw new AssertionError("lent memory always has a cohort");
    }
    MemoryRoot last = cohort.members.removeLast();
    if (last != root) {
      cohort.members.set(root.index, last);
      last.index = root.index;
    }
    root.references.clear();
    return cohort;
  }

  /// Closes the arena of this cohort. When this method returns, no access through the arena is
  /// possible any more, even if another thread closed it.
  private void close() {
    List<MemoryRoot> ended;
    boolean moved;
    synchronized (CLOSING) {
      synchronized (LOCK) {
        if (retired) {
          return;
        }
        retired = true;
        ended = List.copyOf(revoked);
        moved = moveMembers();
      }
      if (moved) {
        handshake();
      }
      MemoryRoot.close(arena);
    }
    for (MemoryRoot root : ended) {
      root.block.release();
    }
  }

  /// Makes every thread pass a safepoint, at which no compiled code is inside a segment access.
  private static void handshake() {
    Arena.ofShared().close();
  }

  /// Moves the live members to the open cohort, and returns true if there were any.
  private boolean moveMembers() {
    boolean any = !members.isEmpty();
    if (open == this) {
      open = new Cohort();
    }
    for (MemoryRoot root : members) {
      Cohort to = enter(root);
      for (RangeMemory reference : root.references) {
        reference.segment = NativeMemory.alias(reference.segment, to.arena);
      }
    }
    members.clear();
    return any;
  }

  // ---- the timer --------------------------------------------------------------------------------

  private static void wakeTimer() {
    Thread thread = timer;
    if (thread == null || !thread.isAlive()) {
      timer = HostThread.daemon("sluice-revoke", Cohort::keepTime);
      timer.start();
    } else if (timerIdle) {
      timerIdle = false;
      LockSupport.unpark(thread);
    }
  }

  private static void keepTime() {
    while (true) {
      @Nullable Cohort due = null;
      long wait = 0;
      synchronized (LOCK) {
        while (!DUE.isEmpty() && DUE.peek().retired) {
          DUE.remove();
        }
        Cohort first = DUE.peek();
        timerIdle = first == null;
        if (first != null) {
          wait = first.dueNanos - System.nanoTime();
          due = wait <= 0 ? DUE.remove() : null;
        }
        if (due == null && first == null) {
          wait = Long.MAX_VALUE;
        }
      }
      if (due != null) {
        due.close();
      } else {
        LockSupport.parkNanos(Cohort.class, wait);
        // An interrupt is never intended, and its status would make every later wait return
        // immediately.
        boolean _ = Thread.interrupted();
      }
    }
  }
}
