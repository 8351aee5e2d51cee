package sluice.vi.device;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import sluice.sys.Membarrier;

/// A flag, taken or free, that one thread can take repeatedly without an atomic operation: a
/// *quickly reacquirable lock* (Dice, Moir and Scherer 2003) that is tried and never waited for.
///
/// A thread that took the flag many times in a row becomes its favourite. From then on it writes a
/// separate word and checks that it is still the favourite: stores and loads without a fence. Any
/// other thread takes the flag by a compare-and-set on another word. Before it concludes that the
/// favourite does not have the flag, it revokes the favour and makes every running thread pass a
/// full barrier ([#barrier]). Either the favourite sees that it has lost the favour, or the other
/// thread sees that the flag is taken: Dekker's problem with the barrier on the rare side (Dice,
/// Huang and Yang 2001). The holder may hand the flag to another thread, which frees it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `favourite` | a thread that holds `slow` | acquire | release; volatile where it is taken away |
/// | `fast` | the favourite; the thread that frees | acquire | opaque; release |
/// | `slow` | threads that are not the favourite | acquire | compare-and-set; release |
/// | `last`, `times`, `patience` | a thread that holds `slow` | plain | plain |
/// | `slowly` | the holder of the flag | plain | plain |
///
/// Limits: revoking the favour costs some microseconds. Each revocation doubles the number of
/// consecutive takes that win the favour again, so that alternating threads do not pay this cost.
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

  /// True if the holder has taken the flag through `slow`.
  private boolean slowly;

  private long last;
  private int times;
  private int patience = FIRST_PATIENCE;

  /// Takes the flag if it is free.
  ///
  /// @return false if it is taken, or another thread tries at this moment
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

  /// Frees the flag. Called by its holder, or by the thread that it was handed to.
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

  /// Makes every running thread of this process pass a full barrier before it returns.
  public static void barrier() {
    if (Membarrier.global() != 0) {
      Arena.ofShared().close(); // a handshake of the JVM with all its threads
    }
  }
}
