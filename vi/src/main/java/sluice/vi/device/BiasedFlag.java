package sluice.vi.device;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import sluice.sys.Membarrier;

/// A flag that one thread can acquire repeatedly without an atomic operation. It is a *quickly
/// reacquirable lock* (Dice, Moir and Scherer 2003) that can be tried but not waited for.
///
/// A thread that has acquired the flag many times in a row becomes its favourite. From then on it
/// writes to a separate word and checks that it is still the favourite, which requires only stores
/// and loads without a fence. Any other thread acquires the flag by a compare-and-set on another
/// word. Before it can conclude that the favourite does not hold the flag, it revokes the bias and
/// makes every running thread execute a full barrier ([#barrier]). Then either the favourite
/// observes the revocation, or the other thread observes that the flag is held. This solves
/// Dekker's problem with the barrier on the rare side (Dice, Huang and Yang 2001). The holder may
/// pass the flag to another thread, which then releases it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `favourite` | a thread that holds `slow` | acquire | release; volatile where it is taken away |
/// | `fast` | the favourite; the thread that frees | acquire | opaque; release |
/// | `slow` | threads that are not the favourite | acquire | compare-and-set; release |
/// | `last`, `times`, `patience` | a thread that holds `slow` | plain | plain |
/// | `slowly` | the holder of the flag | plain | plain |
///
/// Limits: a revocation takes several microseconds. Each revocation doubles the number of
/// consecutive acquisitions that are required to become the favourite again, so that alternating
/// threads do not incur this cost.
public final class BiasedFlag {
  private static final int FIRST_PATIENCE = 32;
  private static final int MOST_PATIENCE = 1 << 20;
  private static final long NO_THREAD = 0; // no thread has this identifier

  private static final VarHandle FAVOURITE;
  private static final VarHandle FAST;
  private static final VarHandle SLOW;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      FAVOURITE = lookup.findVarHandle(BiasedFlag.class, "favourite", long.class);
      FAST = lookup.findVarHandle(BiasedFlag.class, "fast", int.class);
      SLOW = lookup.findVarHandle(BiasedFlag.class, "slow", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through FAVOURITE
  private long favourite;

  @SuppressWarnings("unused") // through FAST
  private int fast;

  @SuppressWarnings("unused") // through SLOW
  private int slow;

  /// True if the holder has acquired the flag through `slow`.
  private boolean slowly;

  private long last;
  private int times;
  private int patience = FIRST_PATIENCE;

  /// Acquires the flag if it is free.
  ///
  /// @return false if the flag is held, or another thread is trying to acquire it concurrently
  public boolean tryTake() {
    long current = Thread.currentThread().threadId();
    if ((long) FAVOURITE.getAcquire(this) != current) {
      return tryTakeSlowly(current);
    }
    if ((int) FAST.getAcquire(this) != 0) {
      return false;
    }
    FAST.setOpaque(this, 1);
    VarHandle.releaseFence(); // no instruction: the compiler keeps the order
    if ((long) FAVOURITE.getAcquire(this) == current) {
      return true;
    }
    FAST.setRelease(this, 0);
    return tryTakeSlowly(current);
  }

  private boolean tryTakeSlowly(long current) {
    if (!SLOW.compareAndSet(this, 0, 1)) {
      return false;
    }
    if ((long) FAVOURITE.getAcquire(this) != NO_THREAD) {
      FAVOURITE.setVolatile(this, NO_THREAD);
      barrier();
      patience = Math.min(2 * patience, MOST_PATIENCE);
    }
    if ((int) FAST.getAcquire(this) != 0) {
      SLOW.setRelease(this, 0);
      return false;
    }
    times = last == current ? times + 1 : 0;
    last = current;
    if (times < patience) {
      slowly = true;
    } else {
      times = 0;
      FAST.setOpaque(this, 1);
      FAVOURITE.setRelease(this, current);
      SLOW.setRelease(this, 0);
    }
    return true;
  }

  /// Releases the flag. Called by its holder, or by the thread to which the holder has passed it.
  public void free() {
    if (slowly) {
      slowly = false;
      SLOW.setRelease(this, 0);
    } else {
      FAST.setRelease(this, 0);
    }
  }

  public boolean isTaken() {
    return (int) FAST.getAcquire(this) != 0 || (int) SLOW.getAcquire(this) != 0;
  }

  /// Makes every running thread of this process execute a full barrier before this method returns.
  public static void barrier() {
    if (Membarrier.global() != 0) {
      Arena.ofShared().close(); // a handshake of the JVM with all its threads
    }
  }
}
