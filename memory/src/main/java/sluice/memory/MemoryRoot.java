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

/// The state that is shared by a [Memory] and its parts, which end at the same time. It holds one
/// lease of the block, which is released after the last access has completed.
///
/// This class is thread-safe. If a root belongs to a cohort, then its fields `cohort`, `index` and
/// `references`, and the segments of the references, are guarded by the lock of [Cohort].
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

  /// The arena of the memory, or null if the memory is lent and uses the arena of its cohort.
  private final @Nullable Arena own;

  /// True if the memory never ends while it is reachable.
  final boolean given;

  /// The cohort to which the memory belongs, or null if the memory is not lent.
  @Nullable Cohort cohort;

  /// The index of this root in its cohort.
  int index;

  /// All references to lent memory. They are updated when the memory is moved to another cohort.
  final List<RangeMemory> references = new ArrayList<>(0);

  /// The parts that can be revoked separately. They end no later than this root. The set is guarded
  /// by its own monitor.
  private final Set<MemoryRoot> loans = Collections.newSetFromMap(new IdentityHashMap<>(0));

  /// The root from which this root was lent, or null if there is none.
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

  /// Returns a read-only reference, which holds its own lease.
  static RangeMemory readOnly(Block block, long offset, long bytes) {
    MemorySegment range = block.segment().asSlice(offset, bytes).asReadOnly();
    return alone(block.lease(), range);
  }

  /// Returns a reference that has its own arena.
  ///
  /// @param block the block, whose lease is transferred from the caller to the root
  static RangeMemory alone(Block block, MemorySegment whole) {
    Arena own = Arena.ofShared();
    MemoryRoot root = new MemoryRoot(block, whole, own);
    return new RangeMemory(root, NativeMemory.alias(whole, own), false);
  }

  /// Returns a reference whose lease is released when the garbage collector determines that the
  /// bytes are unreachable. Each access keeps the scope reachable.
  static RangeMemory given(Block block, MemorySegment whole) {
    MemoryRoot root = new MemoryRoot(block.lease(), whole, Arena.ofAuto(), true);
    MemorySegment alias = NativeMemory.alias(whole, Objects.requireNonNull(root.own));
    Cleaner.Cleanable _ = Given.CLEANER.register(alias.scope(), block::release);
    return new RangeMemory(root, alias, false);
  }

  /// Holds the cleaner, whose thread is started when memory is given for the first time.
  private static final class Given {
    static final Cleaner CLEANER = Cleaner.create();
  }

  RangeMemory part(RangeMemory of, UnaryOperator<MemorySegment> range) {
    parted = true;
    return own != null
        ? new RangeMemory(this, range.apply(of.segment), true)
        : Cohort.part(this, of, range);
  }

  /// Returns true if a part has ever been created.
  boolean hasParts() {
    return parted;
  }

  /// Throws an exception if the memory has ended. The field is read in plain mode, because a plain
  /// read costs nothing when the compiler uses one read for many accesses. The arena remains
  /// authoritative, and this check only saves later accesses the cost of the arena's exception.
  void checkLive() {
    if (ended) {
      throw gone();
    }
  }

  boolean hasEnded() {
    return (boolean) ENDED.getVolatile(this);
  }

  /// Marks the memory as ended. Returns false if it has already ended.
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

  /// Returns a part that can be revoked separately.
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

  /// Revokes the parts that were lent from this root, either immediately or together with the next
  /// batch. Called after this root has ended.
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

  /// Revokes the memory. Returns false if it has already ended.
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

  /// Closes an arena. This method waits for accesses that are in progress, all of which are short.
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
