package sluice.fs.cache;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.sys.Errno;

/// Loads blocks into frames. Each missing block is read only once, regardless of how many threads
/// request it. This class is thread-safe, and no lock is held while the device reads.
final class FrameLoader {
  /// The maximum time for which a reader waits for a writer of content.
  ///
  /// The writer does not wait for any other thread, but on a busy machine it may not be scheduled
  /// for a long time. A reader that did not wait could observe a partially written block. The limit
  /// is intended for a thread that reads a block that it is writing itself.
  private static final long WAIT_NANOS = 60_000_000_000L;

  private final BlockDevice device;
  private final int blockBytes;
  private final long blocks;
  private final BlockTable table;
  private final FrameSupply supply;
  private final WriteBack writeBack;
  private final long frameNanos;
  private volatile boolean closed;

  FrameLoader(
      BlockDevice device,
      int blockBytes,
      BlockTable table,
      FrameSupply supply,
      WriteBack writeBack,
      long frameNanos) {
    this.device = device;
    this.blockBytes = blockBytes;
    this.blocks = device.lengthBytes() / blockBytes;
    this.table = table;
    this.supply = supply;
    this.writeBack = writeBack;
    this.frameNanos = frameNanos;
  }

  /// The action to perform after the stripe has been released.
  private enum Next {
    AGAIN,
    LOAD,
    COPY
  }

  /// Returns the frame of a block with a lease that is held by the caller.
  Frame read(long block) throws IOException {
    check(block);
    long deadline = System.nanoTime() + WAIT_NANOS;
    while (true) {
      Next next;
      synchronized (table.stripe(block)) {
        Frame frame = table.get(block);
        if (frame == null) {
          next = Next.LOAD;
        } else if (!frame.loading && frame.lend()) {
          frame.touch(supply.epoch());
          return frame;
        } else {
          next = blocked(block, frame, deadline);
        }
      }
      Frame made = next == Next.LOAD ? load(block) : next == Next.COPY ? copy(block) : null;
      if (made != null) {
        return made;
      }
      Uninterruptibly.pause(); // outside of the stripe, which the other thread may need
    }
  }

  private Next blocked(long block, Frame frame, long deadline) {
    boolean inHand = frame.writers() > 0 && frame.content && System.nanoTime() - deadline < 0;
    if (frame.loading || inHand) {
      frame.awaited = true;
      // A writer tests `awaited` after it has released its claim.
      if (frame.loading || frame.writers() > 0) {
        Uninterruptibly.await(table.stripe(block));
      }
      return Next.AGAIN;
    }
    if (frame.writers() > 0) {
      return Next.COPY;
    }
    return Next.AGAIN; // it is being evicted, or examined for eviction
  }

  /// Returns a copy of a block that is being changed by a transaction. The reader must know which
  /// bytes are stable.
  ///
  /// @return the copy, or null if the transaction has already released the block
  private @Nullable Frame copy(long block) throws IOException {
    Frame copy = take(block);
    synchronized (table.stripe(block)) {
      Frame frame = table.get(block);
      if (frame != null && frame.writers() > 0) {
        copy.segment().copyFrom(frame.segment());
        return copy;
      }
    }
    copy.release();
    return null;
  }

  /// Loads a block from the device.
  ///
  /// @return the frame, or null if another thread has loaded the block in the meantime
  private @Nullable Frame load(long block) throws IOException {
    Frame frame = reserve(block);
    if (frame == null) {
      return null;
    }
    try {
      device.read(block * blockBytes, frame, 0, blockBytes);
    } catch (IOException | RuntimeException | Error failed) {
      abandon(block, frame);
      frame.release();
      throw failed;
    }
    loaded(block, frame, true);
    return frame;
  }

  /// Maps a frame that is about to be filled from the device.
  ///
  /// @return the frame with a lease for the caller, which prevents the frame from being claimed; or
  ///   null if the block is already in memory or is being loaded
  @Nullable Frame reserve(long block) throws IOException {
    Frame frame = take(block);
    synchronized (table.stripe(block)) {
      if (!closed && table.get(block) == null) {
        frame.loading = true;
        frame.lease();
        table.put(block, frame);
        return frame;
      }
    }
    frame.release();
    return null;
  }

  /// Publishes a frame that has been filled.
  ///
  /// @param used true if the block was requested, false if it was read ahead
  void loaded(long block, Frame frame, boolean used) {
    synchronized (table.stripe(block)) {
      frame.loading = false;
      supply.enter(frame, used);
      frame.show();
      wake(block, frame);
    }
  }

  /// Unmaps a frame that could not be filled. Each waiting thread retries the operation and
  /// receives its own error.
  void abandon(long block, Frame frame) {
    synchronized (table.stripe(block)) {
      table.remove(frame);
      frame.loading = false;
      wake(block, frame);
    }
    frame.release();
  }

  /// Wakes the threads that are waiting for a frame. The caller must hold its stripe.
  void wake(long block, Frame frame) {
    if (frame.awaited) {
      frame.awaited = false;
      table.stripe(block).notifyAll();
    }
  }

  /// Acquires an unmapped frame with one lease for the caller. Writes changed frames if necessary.
  /// The caller must not hold a stripe.
  ///
  /// @param block the block for which the frame is acquired
  Frame take(long block) throws IOException {
    Frame frame = supply.tryTake(block);
    if (frame != null) {
      return frame;
    }
    long deadline = System.nanoTime() + frameNanos;
    while (true) {
      checkOpen();
      writeBack.reduceBy(supply.count() / 8);
      frame = supply.tryTake(block);
      if (frame != null) {
        return frame;
      }
      if (System.nanoTime() - deadline > 0) {
        throw FsException.of(
            Errno.ENOMEM, "all " + supply.count() + " blocks of the cache are leased or changed");
      }
      supply.awaitFree();
    }
  }

  void check(long block) throws FsException {
    checkOpen();
    if (block < 0 || block >= blocks) {
      throw FsException.corrupt(0, block, "the device has " + blocks + " blocks");
    }
  }

  private void checkOpen() throws FsException {
    if (closed) {
      throw FsException.of(Errno.EBADF, "the buffer cache is closed");
    }
  }

  boolean open() {
    return !closed;
  }

  /// Closes the loader. Returns false if it was closed before.
  synchronized boolean close() {
    boolean first = !closed;
    closed = true;
    return first;
  }
}
