package sluice.fs.provider;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// A buffer of native memory that is used to transfer content between a tree and a caller's buffer.
/// It may be used by only one thread at a time.
final class TransferBuffer implements AutoCloseable {
  static final int BYTES = 128 << 10;

  private final Pool pool;
  private final Block block;
  private final Memory memory;
  private final ByteBuffer buffer;

  private TransferBuffer(Pool pool, Block block) {
    this.pool = pool;
    this.block = block;
    memory = Memory.over(block, 0, BYTES);
    buffer = block.segment().asByteBuffer();
  }

  Memory memory() {
    return memory;
  }

  /// Returns the first bytes as a `ByteBuffer`, which must not be used after [#close].
  ByteBuffer buffer(int bytes) {
    return buffer.clear().limit(bytes);
  }

  /// Returns this buffer to its pool.
  @Override
  public void close() {
    pool.give(this);
  }

  private void free() {
    memory.close();
    block.release();
  }

  /// A small pool of idle buffers. This class is thread-safe.
  static final class Pool {
    private static final int MOST = 8;

    private final ArrayBlockingQueue<TransferBuffer> idle = new ArrayBlockingQueue<>(MOST);
    private volatile boolean closed;

    /// Returns an idle buffer, or a new buffer if there is none.
    ///
    /// @throws FsException `ENOMEM` if no memory is available
    TransferBuffer take() throws IOException {
      TransferBuffer scratch = idle.poll();
      if (scratch != null) {
        return scratch;
      }
      @Nullable Block block = Block.allocate(new Account("scratch", BYTES), BYTES);
      if (block == null) {
        throw FsException.of(Errno.ENOMEM, "no memory for a scratch");
      }
      return new TransferBuffer(this, block);
    }

    private void give(TransferBuffer scratch) {
      if (closed || !idle.offer(scratch)) {
        scratch.free();
      } else if (closed) {
        close();
      }
    }

    /// Frees all idle buffers. A buffer that is in use is freed when it is returned.
    void close() {
      closed = true;
      for (TransferBuffer scratch = idle.poll(); scratch != null; scratch = idle.poll()) {
        scratch.free();
      }
    }
  }
}
