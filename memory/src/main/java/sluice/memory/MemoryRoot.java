package sluice.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;
import sluice.sys.NativeMemory;

/// The shared state of a [Memory] and its parts, which end together. It holds one lease of the
/// block, which ends when the last access has ended.
///
/// Safe for use by any thread. The fields of a root with a cohort are guarded by [Cohort]'s lock:
/// `cohort`, `index` and `references`, with their segments.
final class MemoryRoot {
  private static final VarHandle ENDED;

  static {
    try {
      ENDED = MethodHandles.lookup().findVarHandle(MemoryRoot.class, "ended", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Block block;
  final MemorySegment whole;

  /// The arena of memory that was not lent; null for lent memory.
  private final @Nullable Arena own;

  /// True if the memory never ends while it is referenced.
  final boolean given;

  /// The cohort of lent memory; null for other memory.
  @Nullable Cohort cohort;

  /// The index in the cohort.
  int index;

  /// All references to lent memory, so that they can be moved.
  final List<RangeMemory> references = new ArrayList<>(0);

  /// The parts that can end alone, and end with this root at the latest. Guarded by the set's
  /// monitor.
  private final Set<MemoryRoot> loans = Collections.newSetFromMap(new IdentityHashMap<>(0));

  /// The root that has lent this one, or null.
  private @Nullable MemoryRoot lender;

  private boolean ended;
  private volatile boolean parted;

  MemoryRoot(Block block, MemorySegment whole, @Nullable Arena own) {
    this(block, whole, own, false);
  }

  private MemoryRoot(Block block, MemorySegment whole, @Nullable Arena own, boolean given) {
    this.block = block;
    this.whole = whole;
    this.own = own;
    this.given = given;
  }

  /// Returns a read-only reference, which takes a lease of its own.
  static RangeMemory readOnly(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes).asReadOnly();
    return alone(block.lease(), range);
  }

  /// Returns a reference with an arena of its own.
  ///
  /// @param block the block, whose lease passes from the caller to the root
  static RangeMemory alone(Block block, MemorySegment whole) {
    Arena own = Arena.ofShared();
    MemoryRoot root = new MemoryRoot(block, whole, own);
    return new RangeMemory(root, NativeMemory.alias(whole, own), false);
  }

  /// Returns a reference whose lease ends when the garbage collector finds that the bytes cannot be
  /// accessed any more. Each access keeps the scope reachable.
  static RangeMemory given(Block block, MemorySegment whole) {
    MemoryRoot root = new MemoryRoot(block.lease(), whole, Arena.ofAuto(), true);
    MemorySegment alias = NativeMemory.alias(whole, Objects.requireNonNull(root.own));
    Cleaner.Cleanable _ = Given.CLEANER.register(alias.scope(), block::release);
    return new RangeMemory(root, alias, false);
  }

  /// The cleaner, whose thread is started with the first gift.
  private static final class Given {
    static final Cleaner CLEANER = Cleaner.create();
  }

  RangeMemory part(RangeMemory of, UnaryOperator<MemorySegment> range) {
    parted = true;
    return own != null
        ? new RangeMemory(this, range.apply(of.segment), true)
        : Cohort.part(this, of, range);
  }

  /// Returns true if a part was ever made.
  boolean hasParts() {
    return parted;
  }

  /// Throws if the memory has ended. The plain read costs nothing where one read serves many
  /// accesses. The arena decides; this test only spares later accesses the exception of the arena.
  void checkLive() {
    if (ended) {
      throw gone();
    }
  }

  boolean hasEnded() {
    return (boolean) ENDED.getVolatile(this);
  }

  /// Marks the memory as ended. Returns false if it has ended before.
  boolean end() {
    boolean first = ENDED.compareAndSet(this, false, true);
    MemoryRoot from = lender;
    if (first && from != null) {
      synchronized (from.loans) {
        from.loans.remove(this);
      }
    }
    return first;
  }

  /// Returns a part that can end alone.
  ///
  /// @param range a range of [#whole]
  /// @throws IllegalStateException if this root has ended
  RangeMemory lendPart(MemorySegment range) {
    if (hasEnded()) {
      throw gone();
    }
    parted = true;
    RangeMemory part = Cohort.join(block.lease(), range);
    MemoryRoot root = part.root();
    boolean isLate;
    synchronized (loans) {
      isLate = hasEnded();
      if (!isLate && !root.hasEnded()) {
        root.lender = this;
        loans.add(root);
      }
    }
    if (isLate) {
      part.close();
      throw gone();
    }
    return part;
  }

  /// Ends the parts lent of this root, at once or with the next batch. Called after the end of this
  /// root.
  private void endLoans(boolean now) {
    List<MemoryRoot> last;
    synchronized (loans) {
      last = List.copyOf(loans);
      loans.clear();
    }
    for (MemoryRoot loan : last) {
      if (!now) {
        boolean _ = loan.revoke();
      } else if (Cohort.tryRevokeNow(loan)) {
        loan.endLoans(true);
        loan.block.release();
      }
    }
  }

  static IllegalStateException gone() {
    return new IllegalStateException("this memory was revoked or closed");
  }

  static IllegalStateException endedBefore() {
    return new IllegalStateException("this memory has ended before");
  }

  RangeMemory revokeNow() {
    if (own == null) {
      if (!Cohort.tryRevokeNow(this)) {
        throw endedBefore();
      }
    } else if (end()) {
      close(own);
    } else {
      throw endedBefore();
    }
    endLoans(true);
    return alone(block, whole);
  }

  /// Ends the memory. Returns false if it has ended before.
  boolean revoke() {
    if (own == null) {
      boolean first = Cohort.revoke(this);
      if (first) {
        endLoans(false);
      }
      return first;
    }
    if (!end()) {
      return false;
    }
    close(own);
    endLoans(true);
    block.release();
    return true;
  }

  /// Closes an arena. Waits for accesses that use the memory at the moment; they are short.
  static void close(Arena lifetime) {
    while (true) {
      try {
        lifetime.close();
        return;
      } catch (IllegalStateException inUse) {
        if (!lifetime.scope().isAlive()) {
          throw inUse;
        }
        Thread.onSpinWait();
      }
    }
  }
}
