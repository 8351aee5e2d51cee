package sluice.loop.engine;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.memory.block.PooledBlock;
import sluice.memory.block.Region;
import sluice.sys.SysException;

/// The receive arena of one engine, which consists of equally sized chunks in one page-aligned
/// region. Each chunk is a reusable [Block]. All methods are called by the engine's owner thread,
/// but any thread may release the last lease of a chunk. The chunks of a ring are in a
/// `sluice.loop.uring.ReceiveArena`.
///
/// A chunk whose last lease is released on the owner thread is free immediately. If it is released
/// on another thread, the chunk is pushed to a lock-free stack that is emptied by [#reclaim].
/// Engines that choose chunks themselves use [#peek] and [#lend]. If the kernel chooses them, a
/// subclass overrides [#onFree] to publish chunks and calls `lend` for each completion.
///
/// ```
/// free --lend--> leased --last release, owner----------------> free (onFree)
///                       \-last release, elsewhere--> returned --reclaim--> free (onFree)
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | stack, free, owner, closed | owner | plain | plain |
/// | returned | any thread | volatile; acquire by the owner | CAS; getAndSet by the owner |
/// | link\[chunk\] | the thread that returns it | plain, after the acquire of `returned` | plain |
/// | leftAfterClose | any thread | getAndAdd | getAndAdd |
///
/// Lifecycle: opened with every chunk free → used → closed by the engine after the kernel has
/// released the region. Chunks that are still leased then keep the region allocated, and it is
/// freed with the last of them.
public class ChunkPool implements ChunkArena, AutoCloseable {
  private static final int PAGE_BYTES = 4096;
  private static final int NONE = -1;
  private static final int CLOSED = -2;
  private static final VarHandle RETURNED;

  static {
    try {
      RETURNED = MethodHandles.lookup().findVarHandle(ChunkPool.class, "returned", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Block memory;
  private final int chunkBytes;
  private final Chunk[] blocks;
  private final int[] stack;
  private final int[] link;
  private final AtomicInteger leftAfterClose = new AtomicInteger();
  private int free;
  private @Nullable Thread owner;
  private boolean closed;

  @SuppressWarnings("unused") // through RETURNED: head of the stack that other threads push onto
  private int returned = NONE;

  /// Allocates the region. Its pages are not touched until chunks are first filled.
  ///
  /// @param count the number of chunks, a power of two, 1 to 32 768
  /// @param chunkBytes the size of each chunk
  public ChunkPool(int count, int chunkBytes) {
    this(count, chunkBytes, allocate(checked(count, chunkBytes)));
  }

  /// @param memory the contiguous memory of all chunks
  private ChunkPool(int count, int chunkBytes, Block memory) {
    this.memory = memory;
    this.chunkBytes = chunkBytes;
    this.blocks = new Chunk[count];
    this.stack = new int[count];
    this.link = new int[count];
    for (int chunk = 0; chunk < count; chunk++) {
      blocks[chunk] =
          new Chunk(chunk, memory.segment().asSlice((long) chunk * chunkBytes, chunkBytes));
      stack[count - 1 - chunk] = chunk;
    }
    this.free = count;
  }

  /// Creates a pool in memory of the C heap, for an engine on a system other than Linux, where
  /// regions are not available.
  ///
  /// @param count the number of chunks, a power of two, 1 to 32 768
  public static ChunkPool onHeap(int count, int chunkBytes) {
    long bytes = checked(count, chunkBytes);
    Block heap = Objects.requireNonNull(Block.allocate(new Account("chunks", bytes), bytes));
    return new ChunkPool(count, chunkBytes, heap);
  }

  private static long checked(int count, int chunkBytes) {
    if (count < 1 || count > 32_768 || Integer.bitCount(count) != 1) {
      throw new IllegalArgumentException("count must be a power of two, 1 to 32768: " + count);
    }
    return (long) count * chunkBytes;
  }

  /// Allocates contiguous memory whose pages are not touched until they are first filled.
  public static Block allocate(long bytes) {
    long pages = (bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
    try {
      return Objects.requireNonNull(
          Region.single("chunks", new Account("chunks", pages), bytes, PAGE_BYTES, false));
    } catch (SysException e) {
      throw new OutOfMemoryError("an arena of " + bytes + " bytes: " + e.getMessage());
    }
  }

  @Override
  public final int count() {
    return blocks.length;
  }

  @Override
  public final int chunkBytes() {
    return chunkBytes;
  }

  @Override
  public final MemorySegment segment() {
    return memory.segment();
  }

  @Override
  public final Block block(int chunk) {
    return blocks[chunk];
  }

  @Override
  public int free() {
    return free;
  }

  /// Sets the thread on which a release takes effect immediately. There is no such thread before
  /// the first call.
  public final void own(Thread thread) {
    owner = thread;
  }

  /// Returns the free chunk to be filled next, which remains free. It is the most recently used
  /// one, whose lines are still in the cache.
  ///
  /// @return -1 if no chunk is free
  public final int peek() {
    return free == 0 ? -1 : stack[free - 1];
  }

  /// Leases a filled chunk once. The chunk must be the result of the latest [#peek], or any chunk
  /// chosen by the kernel if [#onFree] is overridden.
  public final void lend(int chunk) {
    assert blocks[chunk].leases() == 0 : "chunk " + chunk + " is already out";
    free--;
    blocks[chunk].lend();
  }

  /// Invoked on the owner thread when a chunk is free again. Overriding methods publish it to the
  /// kernel. When they open, they also publish the chunks that have never been leased.
  protected void onFree(int chunk) {
    stack[free] = chunk;
  }

  @Override
  public final void reclaim() {
    if ((int) RETURNED.getOpaque(this) < 0) {
      return;
    }
    int chunk = (int) RETURNED.getAndSet(this, NONE);
    while (chunk >= 0) {
      int next = link[chunk]; // before onFree: a free chunk may be returned again
      recycle(chunk);
      chunk = next;
    }
  }

  private void recycle(int chunk) {
    onFree(chunk);
    free++;
  }

  @SuppressWarnings("ReferenceEquality") // a thread is itself only
  private void giveBack(int chunk) {
    if (Thread.currentThread() == owner && !closed) {
      recycle(chunk);
      return;
    }
    int head = (int) RETURNED.getVolatile(this);
    while (head != CLOSED) {
      link[chunk] = head;
      int witness = (int) RETURNED.compareAndExchange(this, head, chunk);
      if (witness == head) {
        return;
      }
      head = witness;
    }
    if (leftAfterClose.addAndGet(-1) == 0) {
      memory.release();
    }
  }

  /// Frees the region, either now or when the last leased chunk is returned. The kernel must no
  /// longer use the region. Idempotent.
  @Override
  public final void close() {
    if (closed) {
      return;
    }
    closed = true;
    int back = free;
    int chunk = (int) RETURNED.getAndSet(this, CLOSED);
    while (chunk >= 0) {
      back++;
      chunk = link[chunk];
    }
    // Releases since the swap have counted below zero, so only the very last step can reach zero.
    if (leftAfterClose.addAndGet(blocks.length - back) == 0) {
      memory.release();
    }
  }

  private final class Chunk extends PooledBlock {
    private final int index;

    Chunk(int index, MemorySegment segment) {
      super(segment, 0);
      this.index = index;
    }

    @Override
    public @Nullable Region region() {
      return memory.region();
    }

    @Override
    public long regionOffset() {
      return memory.regionOffset() + offset(index);
    }

    void lend() {
      revive();
    }

    @Override
    protected void free() {
      giveBack(index);
    }
  }
}
