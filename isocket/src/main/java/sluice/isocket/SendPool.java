package sluice.isocket;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.memory.block.PooledBlock;

/// Buffers that a loop sends from, used again and again. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `free`, `closed` | any thread | under this object's lock | the same |
///
/// Limits: as many buffers as the account has room for; they stay the pool's.
final class SendPool {
  /// Size of each buffer.
  static final int BUFFER_BYTES = 64 << 10;

  private final Account account;
  private final ArrayDeque<SendBuffer> free = new ArrayDeque<>();
  private boolean closed;

  SendPool(Account account) {
    this.account = account;
  }

  /// A buffer with one lease, the one used last if it is free.
  ///
  /// @return null when the account has no room for one more
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

  /// Frees the buffers, those in use when they come back. Idempotent.
  synchronized void close() {
    closed = true;
    free.forEach(each -> each.backing.release());
    free.clear();
  }

  /// Buffers that are not in use.
  synchronized int freeCount() {
    return free.size();
  }

  /// Buffers that there are.
  int count() {
    return (int) (account.usedBytes() / BUFFER_BYTES);
  }

  /// One of the buffers: it goes back when the last lease ends.
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
