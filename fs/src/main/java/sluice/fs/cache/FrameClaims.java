package sluice.fs.cache;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Claims frames for writers. Safe for use by any thread; journals call it for their transactions.
///
/// A frame that only the cache holds is claimed and written in place. A frame that has another
/// holder (a reader, a device or a commit) does not change: the writer gets a copy that takes its
/// place.
public final class FrameClaims {
  /// The purpose of a claim.
  public enum Purpose {
    /// Content of a file: readers wait for the writer, which waits for no other thread. May be
    /// written back.
    CONTENT,
    /// Metadata without a log: readers get a copy. May be written back.
    METADATA,
    /// Metadata with a log: readers get a copy. Not written back by the cache, see [Frame#held].
    LOGGED
  }

  /// The initial content of a claimed frame.
  public enum Start {
    /// The content of the block, read from the device if necessary.
    CONTENT,
    ZEROS,
    /// Undefined, possibly bytes of another file: the writer replaces all of it before it can be
    /// read.
    ANY
  }

  private final BlockTable table;
  private final FrameSupply supply;
  private final DirtyList dirty;
  private final FrameLoader loader;

  FrameClaims(BlockTable table, FrameSupply supply, DirtyList dirty, FrameLoader loader) {
    this.table = table;
    this.supply = supply;
    this.dirty = dirty;
    this.loader = loader;
  }

  /// Claims the frame of a block, which may be written until [#letGo]. Each claim needs its own
  /// release.
  public Frame claim(long block, Start start, Purpose purpose) throws IOException {
    Frame alone = claimAlone(block, purpose);
    if (alone != null) {
      if (start == Start.ZEROS) {
        alone.segment().fill((byte) 0);
      }
      return alone;
    }
    loader.check(block);
    Frame spare = null;
    Frame got = null;
    try {
      while (true) {
        boolean absent;
        boolean busy = false;
        synchronized (table.stripe(block)) {
          Frame frame = table.get(block);
          absent = frame == null;
          if (frame == null) {
            got = start != Start.CONTENT && spare != null ? map(block, spare) : null;
          } else if (frame.loading) {
            frame.awaited = true;
            Uninterruptibly.await(table.stripe(block));
            busy = true;
          } else if (frame.anotherWriter() || frame.claim()) {
            got = frame;
          } else if (frame.leases() <= 0) {
            busy = true; // it is being evicted, or examined for eviction
          } else if (spare != null) {
            got = replace(block, frame, spare, start);
            busy = got == null;
          }
          if (got != null) {
            begin(got, start == Start.ZEROS, purpose);
            return got;
          }
        }
        if (absent && start == Start.CONTENT) {
          loader.read(block).release();
        } else if (busy) {
          Uninterruptibly.pause();
        } else if (spare == null) {
          spare = loader.take(block);
        }
      }
    } finally {
      if (spare != null && spare != got) {
        spare.release();
      }
    }
  }

  /// Claims a frame in the common case, without a lock: the block is in memory, has no other
  /// holder, and is claimed for the same kind of purpose. A claimed frame stays mapped, and the
  /// state that the stripe guards does not change, because writers that do not claim a frame lease
  /// it before they mark it.
  private @Nullable Frame claimAlone(long block, Purpose purpose) {
    Frame frame = table.find(block);
    if (frame == null || !frame.claim()) {
      return null;
    }
    boolean logged = purpose == Purpose.LOGGED;
    if (frame.number() != block
        || frame.held != logged
        || (logged && frame.dirty)
        || frame.loading) {
      frame.endClaim();
      return null;
    }
    frame.setContent(purpose == Purpose.CONTENT);
    frame.hide(); // before another writer can join
    frame.firstWriter();
    if (!logged) {
      markDirty(frame);
    }
    return frame;
  }

  private void markDirty(Frame frame) {
    if (!frame.dirty) {
      frame.dirty = true;
      dirty.add(frame);
    }
  }

  private Frame map(long block, Frame spare) {
    claimOwn(spare);
    table.put(block, spare);
    supply.enter(spare, true);
    return spare;
  }

  /// Claims a frame without another holder. A reader that found it in its former life may hold a
  /// lease until it notices that the number is wrong.
  private static void claimOwn(Frame frame) {
    while (!frame.claimOwn()) {
      Uninterruptibly.pause();
    }
  }

  /// Maps a copy in place of a frame that has other holders.
  ///
  /// @return null if the frame is being evicted; nothing has changed then
  private @Nullable Frame replace(long block, Frame old, Frame spare, Start start) {
    // An additional lease prevents a claim, even if the other holders release the frame.
    if (!old.lend()) {
      return null;
    }
    if (!supply.replace(old, spare)) {
      old.release();
      return null;
    }
    if (start == Start.CONTENT) {
      spare.segment().copyFrom(old.segment());
    }
    claimOwn(spare);
    table.remove(old);
    table.put(block, spare);
    spare.held = old.held;
    if (old.dirty) {
      dirty.replace(old, spare);
      old.dirty = false;
      spare.dirty = true;
    }
    old.held = false;
    old.release();
    old.release();
    return spare;
  }

  private void begin(Frame frame, boolean zeros, Purpose purpose) {
    frame.setContent(purpose == Purpose.CONTENT);
    if (frame.writers() == 0) {
      frame.hide(); // before another writer can join
      frame.firstWriter();
    }
    if (purpose == Purpose.LOGGED) {
      frame.held = true;
      clean(frame);
    } else if (!frame.held) {
      markDirty(frame);
    }
    if (zeros) {
      frame.segment().fill((byte) 0);
    }
  }

  /// Ends a claim. With the last one, the frame shows its bytes and can be leased.
  public void letGo(Frame frame) {
    long block = frame.number();
    if (frame.lastWriter()) {
      frame.show();
      frame.endClaim();
    }
    if (frame.awaited) {
      synchronized (table.stripe(block)) {
        loader.wake(block, frame);
      }
    }
  }

  /// Discards the changes of a freed block. Its cached content is never written.
  public void forget(long block) {
    synchronized (table.stripe(block)) {
      Frame frame = table.get(block);
      if (frame != null) {
        clean(frame);
        frame.held = false;
      }
    }
  }

  /// Discards a freed block that is not reused soon. Unlike [#forget] it frees the frame at once,
  /// unless the frame is held, so that warm memory is reused next.
  public void drop(long block) {
    Frame frame;
    synchronized (table.stripe(block)) {
      frame = table.get(block);
      if (frame == null) {
        return;
      }
      clean(frame);
      frame.held = false;
      if (frame.loading || !frame.claim()) {
        return;
      }
      if (!supply.leave(frame)) {
        frame.endClaim();
        return;
      }
      table.remove(frame);
      frame.endClaim();
    }
    frame.release();
  }

  /// Leases the current content of a block. The caller holds a journal's gate, so no writer has
  /// claimed it.
  ///
  /// @param onlyDirty true to return null for a block that the device has already
  /// @return null if the block is not in memory, or not dirty
  @Nullable
  public FrameLease lend(long block, boolean onlyDirty) {
    while (true) {
      synchronized (table.stripe(block)) {
        Frame frame = table.get(block);
        if (frame == null || frame.loading || (onlyDirty && !frame.dirty)) {
          return null;
        }
        if (frame.lend()) {
          return new FrameLease(block, frame);
        }
      }
      Uninterruptibly.pause(); // examined for eviction by another thread
    }
  }

  /// Clears the protection of logged frames that have not changed since; their lease suffices.
  public void committed(List<FrameLease> metadata) {
    for (FrameLease leased : metadata) {
      synchronized (table.stripe(leased.number())) {
        if (leased.frame().number() == leased.number()) {
          leased.frame().held = false;
        }
      }
    }
  }

  private void clean(Frame frame) {
    if (frame.dirty) {
      frame.dirty = false;
      dirty.remove(frame);
    }
  }
}
