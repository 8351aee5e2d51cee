package sluice.fs.cache;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;
import sluice.memory.block.PooledBlock;
import sluice.memory.block.Region;

/// A slot of the cache that contains the memory of one block. Frames are found by block number and
/// held by leases. Any thread may find and lease a frame, but a thread that changes its state must
/// hold the stripe of its number (see [BlockTable]).
///
/// The cache itself holds one lease of each mapped frame. A thread must claim a frame in order to
/// write it in place. While the frame is claimed it cannot be leased, and [#version] is odd. A
/// frame that is leased by another thread is never written. Instead, the writer maps a copy, and
/// the old frame is unmapped but remains unchanged until its last lease is released. Therefore a
/// lease is a snapshot. A lease that was acquired without a lock is valid only if the frame then
/// [#shows] the block. Until this has been tested, a reader may briefly hold any frame in use.
///
/// A frame can be read correctly without a lease because `version` is even only while the frame is
/// mapped and its bytes do not change, and because the same value never occurs twice. If a reader
/// finds the same even value before and after copying the bytes, and the requested number in
/// between, then it has copied a consistent state of that block.
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

  /// True if readers have to wait for the writer. A writer of this kind does not wait for any other
  /// thread.
  volatile boolean content;

  boolean loading;
  boolean dirty;
  boolean held;

  /// True if a thread is waiting at the stripe until the frame is filled or released.
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

  /// Returns true if the journal prevents this frame from being written. Called by the thread that
  /// holds the claim.
  public boolean isHeld() {
    return held;
  }

  public long number() {
    return number;
  }

  /// Returns true if the frame is mapped to the given block and shows its content. If the caller
  /// holds a lease, the bytes will never change.
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

  /// Returns the version of another frame, after the bytes of several frames have been read and
  /// [#versionAfterReading] has been called for the first frame.
  int versionOpaque() {
    return (int) VERSION.getOpaque(this);
  }

  /// Counts an access, but only if some time has passed since the last access. As a result, a block
  /// that is read in small parts does not appear to be used frequently.
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
  /// @param used true if the block was requested; otherwise the first request is not counted
  void cool(int now, boolean used) {
    touched = used ? now : NEVER;
    heat = 0;
  }

  /// Assigns a number. The bytes are not visible before [#show] is called. From now on, the frame
  /// may be claimed by a thread that finds it.
  void map(long block) {
    number = block;
    if (leases() > 0) { // otherwise it is claimed, and offered at the end of the claim
      offer();
    }
  }

  /// Removes the number. The bytes remain valid for holders of a lease, and a thread that still
  /// finds the frame cannot claim it. Called by the thread that holds the claim, or by a holder of
  /// a lease other than the lease of the cache.
  void unmap() {
    hide();
    number = NONE;
    if (leases() > 0) {
      withdraw();
    }
  }

  /// Makes the version odd before the bytes are changed or become invalid.
  void hide() {
    if ((version & 1) == 0) {
      VERSION.setOpaque(this, version + 1);
      VarHandle.storeStoreFence();
    }
  }

  /// Makes the version even, which indicates that the bytes are the content of the block.
  void show() {
    if ((version & 1) != 0) {
      VERSION.setRelease(this, version + 1);
    }
  }

  int writers() {
    return writers;
  }

  /// Registers the thread that holds the claim as the first writer.
  void firstWriter() {
    WRITERS.setRelease(this, 1);
  }

  /// Adds a writer to an existing claim.
  ///
  /// @return false if the frame does not have a writer any more
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

  /// Removes a writer. Returns true if it was the last writer, which must then release the claim.
  boolean lastWriter() {
    return (int) WRITERS.getAndAdd(this, -1) == 1;
  }

  boolean lend() {
    return tryLease();
  }

  /// Claims a mapped frame that was found without a lock. The frame then remains mapped to its
  /// number, which may differ from the number under which it was found.
  boolean claim() {
    return tryClaim();
  }

  /// Claims an unmapped frame on behalf of the thread that has acquired it.
  boolean claimOwn() {
    return tryClaimOwn();
  }

  /// Sets the content flag. Called by the thread that holds the claim. The flag is tested first
  /// because it rarely changes, and a test is cheaper than a volatile write.
  void setContent(boolean now) {
    if (content != now) {
      content = now;
    }
  }

  void endClaim() {
    unclaim(number != NONE);
  }

  /// Fills the frame from a source. Called by the thread that holds the claim. If the source fails,
  /// the frame is filled with zeros because it may contain bytes of another file.
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

  /// Acquires a free frame. Its only lease is then held by the caller.
  void take() {
    revive();
  }

  @Override
  protected void free() {
    supply.giveBack(this);
  }
}
