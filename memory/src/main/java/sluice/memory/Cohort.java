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

/// Lent memory that shares one arena, so that one handshake with all threads ends many references:
/// epoch-based reclamation, with the arena's handshake for the grace period (Fraser, "Practical
/// Lock-Freedom", 2004, section 5.2.3).
///
/// ```
/// join ──▶ open cohort, at most 1024 ─256 revoked, or 0.5 ms after the first──▶ retired ──▶ closed
///                   ▲                                                            │
///                   └────── members that are not revoked get another alias ──────┘
/// ```
///
/// A cohort that closes first moves its live members to the open one, then makes all threads pass a
/// handshake of their own: compiled code reads a reference's alias at most once between two
/// safepoint polls, so it has the new one afterwards. An access that still fails, in code that is
/// interpreted, finds that its memory was moved and is made again. That must be rare: code for the
/// second try, once compiled, costs each loop over any memory four to six times as much. Leases on
/// the blocks of the revoked ones end after the last handshake.
///
/// Retiring and closing is one step under `CLOSING`: a member that was moved has aliases in earlier
/// cohorts, and these are closed before its own is. Any thread may call; the lock order is
/// `CLOSING` before `LOCK`. The daemon thread `sluice-revoke` keeps the time, from the first batch
/// on; a domain's thread may start it, under `LOCK`.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all, and those of the members | any thread | under `LOCK` | under `LOCK` |
final class Cohort {
  private static final int MOST_MEMBERS = 1024;

  /// Members whose revocation fills a cohort.
  static final int BATCH = 256;

  /// Half of what is promised: the rest is for the timer and the handshake.
  private static final long DELAY_NANOS = 500_000;

  /// Held, it keeps every cohort from its handshake; a test holds it.
  static final Object CLOSING = new Object();

  private static final Object LOCK = new Object();

  /// Cohorts with revoked members, the first due first; also some that are retired.
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

  /// @param block the root takes over the caller's lease
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

  /// The alias that a reference has now, for an access that is made again.
  static MemorySegment moved(RangeMemory memory) {
    synchronized (LOCK) {
      again++;
      return memory.segment;
    }
  }

  /// How many accesses failed and looked for another alias, since the JVM started.
  static long again() {
    synchronized (LOCK) {
      return again;
    }
  }

  /// Begins the end of a member.
  ///
  /// @return false when it has ended before
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

  /// Ends a member at once. The caller takes over its lease.
  ///
  /// @return false when it has ended before
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

  /// Ends all access through this cohort's arena. When it returns there is none, also if another
  /// thread closed it.
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

  /// Every thread passes a safepoint, and compiled code that accesses segments is left there.
  private static void handshake() {
    Arena.ofShared().close();
  }

  /// @return whether there were any
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

  // ---- the timer ----------------------------------------------------------------------------

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
        boolean _ =
            Thread.interrupted(); // by nothing of ours: it would end each later wait at once
      }
    }
  }
}
