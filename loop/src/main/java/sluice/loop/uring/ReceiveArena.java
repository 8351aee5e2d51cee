package sluice.loop.uring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.Completion;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.sys.uring.BufferRing;
import sluice.sys.uring.Cqe;
import sluice.sys.uring.IoUring;

/// The receive arena of the ring of a loop or a selector. It consists of chunks that are passed to
/// the kernel as provided buffers. All methods are called by the ring's owner, or under the turn
/// lock of a selector, but any thread may release a lease.
///
/// The kernel fills the chunks in the order in which they were published, and each of them
/// incrementally, so that small messages are adjacent (kernels before 6.12 use an entire chunk for
/// each receive). The number of published chunks is slightly larger than the number filled by one
/// turn. The most recently read chunks are published first, so that the same few chunks stay in the
/// caches, and pages of the others are never touched. If turns nearly fill all of them, more are
/// published. Chunks that have not been needed for a long time are returned to the store.
///
/// ```
/// store ──take──▶ cold ──publish──▶ shown ──taken──▶ leased, piece by piece ──last release──┐
///   ▲              │ ▲                                                                      │
///   └───shrink─────┘ └───────── at once on the owner, else returned ──reclaim── ◀────────────┘
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `returned` | any thread | volatile, through `RETURNED` | CAS; getAndSet by the owner |
/// | the rest | owner | plain | plain |
///
/// Lifecycle: opened with one chunk → grows and shrinks → closed when the kernel has released the
/// ring. Chunks that are still leased then return to the store one by one.
public final class ReceiveArena implements ChunkArena {
  /// The buffer group of every ring.
  public static final int GROUP = 1;

  /// The number of crossings after which the arena checks if fewer chunks would be sufficient.
  private static final int REVIEW = 4096;

  private static final RingChunk CLOSED = new RingChunk(-1, MemorySegment.NULL);

  private static final VarHandle RETURNED;

  static {
    try {
      RETURNED =
          MethodHandles.lookup().findVarHandle(ReceiveArena.class, "returned", RingChunk.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ChunkStore store;
  private final BufferRing buffers;
  private final int firstTarget;
  private final int maxTarget;
  private final ArrayList<RingChunk> owned = new ArrayList<>();
  private @Nullable Thread owner;

  /// The chunks that are free and not published, in order of use.
  private @Nullable RingChunk cold;

  private int coldCount;

  /// The number of chunks that the kernel owns and has not begun to fill.
  private int shown;

  /// The chunk that the kernel has begun to fill and will continue to fill.
  private @Nullable RingChunk filling;

  private int target;
  private int lowest = Integer.MAX_VALUE;
  private int crossings;
  private boolean closed;

  @SuppressWarnings("unused") // through RETURNED: head of the list that other threads push onto
  private volatile @Nullable RingChunk returned;

  /// @param entries the number of entries in the ring of provided buffers, a power of two; the
  ///   kernel owns at most half of them at a time, unless the store does not have more
  /// @param firstTarget the number of chunks initially published, which is also the minimum
  /// @throws IOException if the kernel refuses, or if the store has no chunk left
  public ReceiveArena(IoUring ring, ChunkStore store, int entries, int firstTarget)
      throws IOException {
    this.store = store;
    this.firstTarget = firstTarget;
    this.maxTarget = store.count() <= entries ? store.count() : entries / 2;
    this.target = firstTarget;
    this.buffers = register(ring, store, entries);
    adopt(store.need());
    publish();
  }

  private static BufferRing register(IoUring ring, ChunkStore store, int entries)
      throws IOException {
    int bytes = store.chunkBytes();
    try {
      return ring.registerBufferRing(GROUP, store.region(), entries, bytes, true);
    } catch (SysException refused) {
      if (refused.errno() != Errno.EINVAL) {
        throw refused;
      }
      return ring.registerBufferRing(GROUP, store.region(), entries, bytes, false);
    }
  }

  /// Sets the thread on which a release takes effect immediately. There is no such thread before
  /// the first call.
  public void own(Thread thread) {
    owner = thread;
  }

  // ---- what the arena has -------------------------------------------------------------------

  @Override
  public int count() {
    return store.count();
  }

  @Override
  public int chunkBytes() {
    return store.chunkBytes();
  }

  @Override
  public MemorySegment segment() {
    return store.region();
  }

  @Override
  public Block block(int chunk) {
    return store.chunk(chunk);
  }

  @Override
  public int free() {
    RingChunk begun = filling;
    int unread = begun != null && begun.leases() == 1 ? 1 : 0; // the kernel's alone
    return store.free() + coldCount + shown + unread;
  }

  /// Returns true if the kernel owns a chunk that it has not begun to fill.
  public boolean hasShown() {
    return shown > 0;
  }

  private void adopt(RingChunk chunk) {
    chunk.own(this);
    owned.add(chunk);
    push(chunk);
  }

  private void push(RingChunk chunk) {
    chunk.next = cold;
    cold = chunk;
    coldCount++;
  }

  private @Nullable RingChunk pop() {
    RingChunk first = cold;
    if (first != null) {
      cold = first.next;
      coldCount--;
    }
    return first;
  }

  // ---- chunks that come back ----------------------------------------------------------------

  /// Returns a chunk whose last lease has been released to this arena. Any thread may call.
  @SuppressWarnings("ReferenceEquality") // a thread is itself only
  void giveBack(RingChunk chunk) {
    if (Thread.currentThread() == owner && !closed) {
      chunk.empty();
      push(chunk);
      return;
    }
    RingChunk head = returned;
    while (head != CLOSED) {
      chunk.next = head;
      RingChunk witness = (RingChunk) RETURNED.compareAndExchange(this, head, chunk);
      if (witness == head) {
        return;
      }
      head = witness;
    }
    store.giveBack(chunk);
  }

  @Override
  public void reclaim() {
    if (returned == null) {
      return;
    }
    RingChunk chunk = (RingChunk) RETURNED.getAndSet(this, (RingChunk) null);
    while (chunk != null) {
      RingChunk next = chunk.next;
      chunk.empty();
      push(chunk);
      chunk = next;
    }
  }

  // ---- the kernel's side --------------------------------------------------------------------

  /// Records a received segment, with one lease for its receiver.
  ///
  /// @param flags the bits of the `cqe->flags`, which include a buffer
  /// @param length the number of bytes received
  /// @return the flags of its [Completion]
  public long taken(int flags, int length) {
    RingChunk chunk = store.chunk(flags >>> Cqe.BUFFER_SHIFT);
    boolean more = (flags & Cqe.F_BUF_MORE) != 0;
    if (chunk.isEmpty()) {
      shown--;
    }
    int at = chunk.fill(length, more);
    filling = more ? chunk : null;
    return Completion.at(flags, at);
  }

  /// Reclaims chunks that have been read, and publishes as many as the kernel may need next. Called
  /// before each crossing.
  public void publish() {
    reclaim();
    lowest = Math.min(lowest, shown);
    if (++crossings == REVIEW) {
      shrink();
    }
    if (shown >= target) {
      return;
    }
    if (4 * shown < target && owned.size() >= target) { // a turn has used nearly all
      target = Math.min(maxTarget, 2 * target);
    }
    int before = shown;
    while (shown < target && (cold != null || grow())) {
      show();
    }
    if (shown > before) {
      buffers.commit();
    }
  }

  private boolean grow() {
    RingChunk more = store.take();
    if (more != null) {
      adopt(more);
    }
    return more != null;
  }

  private void show() {
    RingChunk chunk = pop();
    if (chunk != null) {
      buffers.add(chunk.index);
      shown++;
    }
  }

  private void shrink() {
    if (lowest > firstTarget) {
      target = Math.max(firstTarget, target - lowest / 2);
    }
    while (coldCount > target) {
      RingChunk chunk = pop();
      if (chunk != null) {
        owned.remove(chunk);
        store.giveBack(chunk);
      }
    }
    lowest = Integer.MAX_VALUE;
    crossings = 0;
  }

  // ---- the end ------------------------------------------------------------------------------

  /// Returns all chunks to the store. Leased chunks follow when their last lease is released.
  /// Called after the kernel has released the ring. Idempotent.
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    RingChunk begun = filling;
    if (begun != null) {
      filling = null;
      begun.release(); // the kernel's
    }
    for (RingChunk chunk : owned) {
      if (chunk.isEmpty()) {
        store.giveBack(chunk);
      }
    }
    owned.clear();
    RingChunk chunk = (RingChunk) RETURNED.getAndSet(this, CLOSED);
    while (chunk != null) {
      RingChunk next = chunk.next;
      store.giveBack(chunk);
      chunk = next;
    }
    store.close();
  }
}
