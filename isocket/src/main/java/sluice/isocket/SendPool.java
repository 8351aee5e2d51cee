package sluice.isocket;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.memory.block.PooledBlock;

/// A pool of reusable send buffers of a loop. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `free`, `closed` | any thread | under this object's lock | the same |
///
/// The number of buffers is limited by the size of the account. Buffers are not returned to the
/// account until the pool is closed.
final class SendPool {
  /// The size of each buffer in bytes.
  static final int BUFFER_BYTES = 64 << 10;

  private final Account account;
  private final ArrayDeque<SendBuffer> free = new ArrayDeque<>();
  private boolean closed;

  SendPool(Account account) {
    this.account = account;
  }

  /// Returns a buffer with one lease, preferably the most recently used one.
  ///
  /// @return null if the account does not have enough room for another buffer
  @Nullable SendBuffer tryTake() {
    synchronized (this) {
      SendBuffer used = free.pollFirst();
      if (used != null) {
        used.use();
        return used;
      }
    }
    Block backing = Block.allocate(account, BUFFER_BYTES);
    return backing == null ? null : new SendBuffer(this, backing);
  }

  private synchronized void give(SendBuffer buffer) {
    if (closed) {
      buffer.backing.release();
    } else {
      free.addFirst(buffer);
    }
  }

  /// Frees the buffers. Buffers in use are freed when they are returned. Idempotent.
  synchronized void close() {
    closed = true;
    free.forEach(each -> each.backing.release());
    free.clear();
  }

  /// Returns the number of free buffers.
  synchronized int freeCount() {
    return free.size();
  }

  /// Returns the total number of buffers.
  int count() {
    return (int) (account.usedBytes() / BUFFER_BYTES);
  }

  /// A buffer that returns to the pool when its last lease is released.
  static final class SendBuffer extends PooledBlock {
    private final SendPool pool;

    private final Block backing;

    private SendBuffer(SendPool pool, Block backing) {
      super(backing.segment(), 1);
      this.pool = pool;
      this.backing = backing;
    }

    private void use() {
      revive();
    }

    @Override
    protected void free() {
      pool.give(this);
    }
  }
}
