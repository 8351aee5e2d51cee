package sluice.fs.cache;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Claims frames for writers. This class is thread-safe, and is called by journals on behalf of
/// their transactions.
///
/// A frame that is held only by the cache is claimed and written in place. If a frame has another
/// holder (a reader, a device or a commit), it is not changed. Instead, the writer receives a copy
/// that replaces the frame.
public final class FrameClaims {
  /// The purpose of a claim.
  public enum Purpose {
    /// The content of a file. Readers wait for the writer, which does not wait for any other
    /// thread. The block may be written to the device by the cache.
    CONTENT,
    /// Metadata of a journal without a log. Readers receive a copy. The block may be written to the
    /// device by the cache.
    METADATA,
    /// Metadata of a journal with a log. Readers receive a copy. The block is not written to the
    /// device by the cache (see [Frame#held]).
    LOGGED
  }

  /// The initial content of a claimed frame.
  public enum Start {
    /// The content of the block, read from the device if necessary.
    CONTENT,
    ZEROS,
    /// The initial content is undefined and may consist of bytes of another file. The writer must
    /// replace all of it before it can be read.
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

  /// Claims the frame of a block, which may be written until [#letGo] is called. Each claim must be
  /// released separately.
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

  /// Claims a frame without a lock in the common case in which the block is in memory, has no other
  /// holder, and is claimed for the same kind of purpose. A claimed frame remains mapped, and the
  /// state that is guarded by the stripe does not change because a writer that does not claim the
  /// frame leases it before it marks it.
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

  /// Claims a frame that has no other holder. A reader that found the frame when it was mapped to
  /// another block may hold a lease until it notices that the number has changed.
  private static void claimOwn(Frame frame) {
    while (!frame.claimOwn()) {
      Uninterruptibly.pause();
    }
  }

  /// Maps a copy in place of a frame that has other holders.
  ///
  /// @return the copy, or null if the frame is being evicted, in which case nothing is changed
  private @Nullable Frame replace(long block, Frame old, Frame spare, Start start) {
    // An additional lease prevents the frame from being claimed even if the other holders release
    // it.
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

  /// Releases a claim. When the last claim is released, the bytes of the frame become visible and
  /// the frame can be leased.
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

  /// Discards the changes to a block that was freed. Its cached content is never written.
  public void forget(long block) {
    synchronized (table.stripe(block)) {
      Frame frame = table.get(block);
      if (frame != null) {
        clean(frame);
        frame.held = false;
      }
    }
  }

  /// Discards a freed block that will not be reused soon. Unlike [#forget], this method frees the
  /// frame immediately, unless it is held, so that its memory is reused next while it is still in
  /// the CPU cache.
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

  /// Leases the current content of a block. The caller holds the gate of a journal, so the block
  /// has not been claimed by a writer.
  ///
  /// @param onlyDirty true to return null for a block that has already been written to the device
  /// @return the lease, or null if the block is not in memory, or is not dirty
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

  /// Removes the protection of logged frames that have not been changed since then, because their
  /// lease is sufficient.
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
