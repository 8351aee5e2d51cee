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

/// What a [Memory] and the parts made of it share: they end together. It holds one lease on the
/// block, which ends when the last access has.
///
/// Any thread may call. What has a cohort belongs to [Cohort]'s lock: `cohort`, `index` and
/// `references`, with the segments of these.
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

  /// The lifetime of memory that was not lent; null for lent memory.
  private final @Nullable Arena own;

  /// Whether it never ends while there is a reference to it.
  final boolean given;

  /// Null for memory that was not lent.
  @Nullable Cohort cohort;

  /// Where in the cohort it stands.
  int index;

  /// All references to lent memory, so that they can be moved.
  final List<RangeMemory> references = new ArrayList<>(0);

  /// Parts that can end alone, and end with this at the latest; under the monitor of the set.
  private final Set<MemoryRoot> loans = Collections.newSetFromMap(new IdentityHashMap<>(0));

  /// What this was lent of, or null.
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

  /// Takes a lease of its own.
  static RangeMemory readOnly(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes).asReadOnly();
    return alone(block.lease(), range);
  }

  /// @param block the root takes over the caller's lease
  static RangeMemory alone(Block block, MemorySegment whole) {
    Arena own = Arena.ofShared();
    MemoryRoot root = new MemoryRoot(block, whole, own);
    return new RangeMemory(root, NativeMemory.alias(whole, own), false);
  }

  /// Takes a lease that ends when the garbage collector finds that the bytes cannot be accessed any
  /// more: each access holds the scope.
  static RangeMemory given(Block block, MemorySegment whole) {
    MemoryRoot root = new MemoryRoot(block.lease(), whole, Arena.ofAuto(), true);
    MemorySegment alias = NativeMemory.alias(whole, Objects.requireNonNull(root.own));
    Cleaner.Cleanable _ = Given.CLEANER.register(alias.scope(), block::release);
    return new RangeMemory(root, alias, false);
  }

  /// Its thread is there from the first gift on.
  private static final class Given {
    static final Cleaner CLEANER = Cleaner.create();
  }

  RangeMemory part(RangeMemory of, UnaryOperator<MemorySegment> range) {
    parted = true;
    return own != null
        ? new RangeMemory(this, range.apply(of.segment), true)
        : Cohort.part(this, of, range);
  }

  /// Whether a part was ever made.
  boolean hasParts() {
    return parted;
  }

  /// A plain read, which costs nothing where it can be done once for many accesses: the arena
  /// decides, this only spares those that come later the exception of the arena.
  void checkLive() {
    if (ended) {
      throw gone();
    }
  }

  boolean hasEnded() {
    return (boolean) ENDED.getVolatile(this);
  }

  /// @return false when it has ended before
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

  /// A part that can end alone.
  ///
  /// @param range of [#whole]
  /// @throws IllegalStateException when this has ended before
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

  /// After the end of this. Ends what was lent of it, at once or with the next batch.
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

  /// @return false when it has ended before
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

  /// Waits out calls that are using the memory at this moment; they are short.
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
