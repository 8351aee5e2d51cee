package sluice.fs.cache;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;
import sluice.memory.block.PooledBlock;
import sluice.memory.block.Region;

/// A slot of the cache: memory for one block, found by number and held by leases. Any thread finds
/// and leases it; a thread that changes its state holds the stripe of its number (see
/// [BlockTable]).
///
/// The cache itself holds one lease on each mapped frame. A thread that writes in place has claimed
/// the frame: it cannot be leased then, and [#version] is odd. A frame that another thread has
/// leased is never written. The writer maps a copy instead, and the old frame stays, unmapped,
/// until its last lease ends. So a lease is a snapshot. A lease that was obtained without a lock is
/// valid only if the frame then [#shows] the block; until this test, a reader may briefly hold any
/// frame in use.
///
/// Reading without a lease is correct because `version` is even only while the frame is mapped and
/// its bytes do not change, and because it never repeats a value. A reader that finds the same even
/// value before and after the copy, and the wanted number in between, has copied a consistent state
/// of that block.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | number | the mapping thread, under the stripe | volatile | volatile |
/// | next | the thread that changes a chain, under its stripe | volatile | volatile |
/// | version | the thread that maps, claims or unmaps, under the stripe | acquire, then opaque | opaque and store fence to odd, release to even |
/// | writers | the claimer, from 0; further writers under the stripe, from 1 up; each down | volatile | compareAndSet |
/// | content, awaited | the claimer; a waiter, under the stripe | volatile | volatile |
/// | loading, dirty, held | under the stripe | plain under the stripe, or by the claimer | plain |
/// | heat, touched | any reader | plain | plain: a lost update costs nothing |
/// | dirtyBefore, dirtyAfter | [DirtyList], under its monitor | | |
public final class Frame extends PooledBlock {
  static final long NONE = -1;
  static final int MOST_HEAT = 3;

  private static final int NEVER = Integer.MIN_VALUE;

  private static final VarHandle VERSION;
  private static final VarHandle WRITERS;

  static {
    try {
      VERSION = MethodHandles.lookup().findVarHandle(Frame.class, "version", int.class);
      WRITERS = MethodHandles.lookup().findVarHandle(Frame.class, "writers", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final int index;
  volatile @Nullable Frame next;
  private volatile int writers;

  /// True if readers wait for the writer. Such a writer waits for no other thread.
  volatile boolean content;

  boolean loading;
  boolean dirty;
  boolean held;

  /// True if a thread waits at the stripe for the frame to be filled or released.
  volatile boolean awaited;

  byte heat;
  @Nullable Frame dirtyBefore;
  @Nullable Frame dirtyAfter;
  private final FrameSupply supply;
  private volatile long number = NONE;
  private int version = 1;
  private int touched;

  Frame(FrameSupply supply, int index, MemorySegment bytes) {
    super(bytes, 0);
    this.supply = supply;
    this.index = index;
  }

  @Override
  public @Nullable Region region() {
    return supply.memory().region();
  }

  @Override
  public long regionOffset() {
    return supply.memory().regionOffset() + supply.offset(this);
  }

  /// Returns true if the journal holds back the write of this frame. Read by the claiming thread.
  public boolean isHeld() {
    return held;
  }

  public long number() {
    return number;
  }

  /// Returns true if the frame is mapped to a block and shows its content. For the holder of a
  /// lease, the bytes then never change.
  boolean shows(long block) {
    return number == block && ((int) VERSION.getAcquire(this) & 1) == 0;
  }

  int versionAcquire() {
    return (int) VERSION.getAcquire(this);
  }

  /// Returns the version after the bytes have been read.
  int versionAfterReading() {
    VarHandle.loadLoadFence();
    return versionOpaque();
  }

  /// Returns the version of a further frame, after the bytes of several frames have been read and
  /// [#versionAfterReading] of the first was called.
  int versionOpaque() {
    return (int) VERSION.getOpaque(this);
  }

  /// Counts an access, but only if some time has passed since the last one. So a block that is read
  /// in small pieces does not look frequently used.
  void touch(int now) {
    int age = now - touched;
    if (age > 1 || age < 0) {
      boolean again = touched != NEVER;
      touched = now;
      if (again && heat < MOST_HEAT) {
        heat++;
      }
    }
  }

  /// Resets the access count for new content.
  ///
  /// @param used true if the block was requested; otherwise the first request does not count
  void cool(int now, boolean used) {
    touched = used ? now : NEVER;
    heat = 0;
  }

  /// Assigns a number. The bytes do not show before [#show]. From now on, a thread that finds the
  /// frame may claim it.
  void map(long block) {
    number = block;
    if (leases() > 0) { // otherwise it is claimed, and offered at the end of the claim
      offer();
    }
  }

  /// Removes the number. Holders of a lease keep the bytes, and no thread that still finds the
  /// frame can claim it. Called by the claimer, or by a holder of a lease in addition to that of
  /// the cache.
  void unmap() {
    hide();
    number = NONE;
    if (leases() > 0) {
      withdraw();
    }
  }

  /// Makes the version odd, before the bytes change or lose their meaning.
  void hide() {
    if ((version & 1) == 0) {
      VERSION.setOpaque(this, version + 1);
      VarHandle.storeStoreFence();
    }
  }

  /// Makes the version even: the bytes are those of the block.
  void show() {
    if ((version & 1) != 0) {
      VERSION.setRelease(this, version + 1);
    }
  }

  int writers() {
    return writers;
  }

  /// Makes the claimer the first writer.
  void firstWriter() {
    WRITERS.setRelease(this, 1);
  }

  /// Adds a writer to an existing claim.
  ///
  /// @return false if the frame has no writer, or no more
  boolean anotherWriter() {
    int now = writers;
    while (now > 0) {
      int seen = (int) WRITERS.compareAndExchange(this, now, now + 1);
      if (seen == now) {
        return true;
      }
      now = seen;
    }
    return false;
  }

  /// Removes a writer. Returns true if it was the last one, which then ends the claim.
  boolean lastWriter() {
    return (int) WRITERS.getAndAdd(this, -1) == 1;
  }

  boolean lend() {
    return tryLease();
  }

  /// Claims a mapped frame that was found without a lock. It then stays mapped to its number, which
  /// may differ from the number at which it was found.
  boolean claim() {
    return tryClaim();
  }

  /// Claims an unmapped frame, for the thread that has taken it.
  boolean claimOwn() {
    return tryClaimOwn();
  }

  /// Sets the flag for content, for the claimer. The value rarely changes, and a test is cheaper
  /// than a volatile write.
  void setContent(boolean now) {
    if (content != now) {
      content = now;
    }
  }

  void endClaim() {
    unclaim(number != NONE);
  }

  /// Fills the frame from a source, for the claimer. If the source fails, the frame is zeroed,
  /// because it may contain bytes of another file.
  public void fillFrom(Memory source, long at) {
    boolean filled = false;
    try {
      source.copyTo(at, this, 0, lengthBytes());
      filled = true;
    } finally {
      if (!filled) {
        segment().fill((byte) 0);
      }
    }
  }

  /// Takes a free frame. It then has one lease, which belongs to the caller.
  void take() {
    revive();
  }

  @Override
  protected void free() {
    supply.giveBack(this);
  }
}
