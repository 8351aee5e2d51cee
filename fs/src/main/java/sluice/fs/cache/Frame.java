package sluice.fs.cache;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;
import sluice.memory.block.PooledBlock;
import sluice.memory.block.Region;

/// One place of the cache: room for a block, found by number, held by leases. Any thread finds and
/// leases it; what changes it holds the stripe of its number (see [BlockTable]).
///
/// The cache itself holds one lease on each mapped frame. A writer in place has claimed the frame:
/// it cannot be leased then, and [#version] is odd. A frame that another thread holds is never
/// written: the writer maps a copy instead, and the old frame lives on, unmapped, until its last
/// lease ends. So a lease is a snapshot. A lease found without a lock counts only if the frame
/// [#shows] the block afterwards; until it has looked, a reader may hold any frame that is in use,
/// for a moment.
///
/// Why reading without a lease is right: `version` is even only while the frame is mapped and its
/// bytes are not changed, and it never takes a value twice. A reader that finds the same even value
/// before and after copying, and the number it wants in between, has copied the bytes of that block
/// as they were at one moment.
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

  /// Readers wait for the writer, which waits for no other thread.
  volatile boolean content;

  boolean loading;
  boolean dirty;
  boolean held;

  /// A thread waits at the stripe for it to be filled or let go.
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

  /// Whether the log holds back its writing; read by the thread that claimed it.
  public boolean isHeld() {
    return held;
  }

  public long number() {
    return number;
  }

  /// Whether it is mapped to a block and shows it. True stays true for a holder of a lease, as far
  /// as the bytes go.
  boolean shows(long block) {
    return number == block && ((int) VERSION.getAcquire(this) & 1) == 0;
  }

  int versionAcquire() {
    return (int) VERSION.getAcquire(this);
  }

  /// After the bytes have been read.
  int versionAfterReading() {
    VarHandle.loadLoadFence();
    return versionOpaque();
  }

  /// Of one more frame after the bytes of several have been read, and [#versionAfterReading] of the
  /// first was called.
  int versionOpaque() {
    return (int) VERSION.getOpaque(this);
  }

  /// Counts an access as one more only when some time has passed since the last, so that reading a
  /// block in small pieces does not make it look wanted.
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

  /// Begins a life.
  ///
  /// @param used whether it was asked for; if not, the first request does not count
  void cool(int now, boolean used) {
    touched = used ? now : NEVER;
    heat = 0;
  }

  /// Gives it a number; its bytes do not show before [#show]. From now on a finder may claim it.
  void map(long block) {
    number = block;
    if (leases() > 0) { // else it is claimed, and offered when that ends
      offer();
    }
  }

  /// Takes the number away. The bytes stay as they are for holders of a lease, and no thread that
  /// still finds it can claim it. By its claimer, or by a thread that holds a lease beside the
  /// cache's.
  void unmap() {
    hide();
    number = NONE;
    if (leases() > 0) {
      withdraw();
    }
  }

  /// The bytes are about to change or to mean nothing.
  void hide() {
    if ((version & 1) == 0) {
      VERSION.setOpaque(this, version + 1);
      VarHandle.storeStoreFence();
    }
  }

  /// The bytes are those of the number.
  void show() {
    if ((version & 1) != 0) {
      VERSION.setRelease(this, version + 1);
    }
  }

  int writers() {
    return writers;
  }

  /// The claimer is the first writer.
  void firstWriter() {
    WRITERS.setRelease(this, 1);
  }

  /// Another writer joins its claimers.
  ///
  /// @return false when there is none, or no longer
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

  /// @return whether it was the last, which has the claim to end
  boolean lastWriter() {
    return (int) WRITERS.getAndAdd(this, -1) == 1;
  }

  boolean lend() {
    return tryLease();
  }

  /// Only a mapped frame can be claimed by a finder; it then stays mapped to its number, which may
  /// be another than it had when it was found.
  boolean claim() {
    return tryClaim();
  }

  /// Claims a frame that is mapped nowhere, by its taker.
  boolean claimOwn() {
    return tryClaimOwn();
  }

  /// By its claimer. Mostly it is so already, and a volatile write takes longer than to look.
  void setContent(boolean now) {
    if (content != now) {
      content = now;
    }
  }

  void endClaim() {
    unclaim(number != NONE);
  }

  /// Takes all its bytes from a source. When that fails they are zeros, because what was there may
  /// be another file's. By its claimer.
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

  /// A frame without a holder is taken: one lease, the taker's.
  void take() {
    revive();
  }

  @Override
  protected void free() {
    supply.giveBack(this);
  }
}
