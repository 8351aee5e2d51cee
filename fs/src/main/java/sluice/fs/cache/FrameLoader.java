package sluice.fs.cache;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.sys.Errno;

/// Brings blocks into frames: each miss is read once, however many threads ask for it. Any thread
/// may call; no lock is held while the device works.
final class FrameLoader {
  /// How long a reader waits for a writer of content to finish its block.
  ///
  /// The writer waits for no other, but on a busy machine it may be long without a processor: a
  /// thread that does not wait then sees a block that is half written. There is an end all the
  /// same, for a thread that reads what it has in hand itself.
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

  /// What to do once the stripe is let go.
  private enum Next {
    AGAIN,
    LOAD,
    COPY
  }

  /// The frame of a block with a lease for the caller.
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
      Uninterruptibly.pause(); // outside of the stripe, which the other may need
    }
  }

  private Next blocked(long block, Frame frame, long deadline) {
    boolean inHand = frame.writers() > 0 && frame.content && System.nanoTime() - deadline < 0;
    if (frame.loading || inHand) {
      frame.awaited = true;
      // A writer looks whether he is awaited after he has let go.
      if (frame.loading || frame.writers() > 0) {
        Uninterruptibly.await(table.stripe(block));
      }
      return Next.AGAIN;
    }
    if (frame.writers() > 0) {
      return Next.COPY;
    }
    return Next.AGAIN; // being given up, or looked at for that
  }

  /// A snapshot of a block that a transaction is changing: its reader knows which bytes of it are
  /// at rest.
  ///
  /// @return null when the transaction is done with it
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

  /// @return null when another thread was faster
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
  /// @return the frame with a lease for the caller, so that it is not claimed; null when the block
  ///   is here already, or about to be
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

  /// The bytes are there.
  ///
  /// @param used whether it was asked for, and not read ahead
  void loaded(long block, Frame frame, boolean used) {
    synchronized (table.stripe(block)) {
      frame.loading = false;
      supply.enter(frame, used);
      frame.show();
      wake(block, frame);
    }
  }

  /// Reading failed: each waiting thread tries for itself, and fails for itself.
  void abandon(long block, Frame frame) {
    synchronized (table.stripe(block)) {
      table.remove(frame);
      frame.loading = false;
      wake(block, frame);
    }
    frame.release();
  }

  /// Wakes what waits for a frame. Under its stripe.
  void wake(long block, Frame frame) {
    if (frame.awaited) {
      frame.awaited = false;
      table.stripe(block).notifyAll();
    }
  }

  /// A frame that is mapped nowhere, with one lease: the caller's. Writes dirty ones back for it if
  /// it must. Never under a stripe.
  ///
  /// @param block what it is for
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

  /// @return false when it was closed before
  synchronized boolean close() {
    boolean first = !closed;
    closed = true;
    return first;
  }
}
