package sluice.fs.cache;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Frames in the hands of writers. Any thread may call; journals do, for their transactions.
///
/// A frame that only the cache holds is claimed and written in place. A frame that has another
/// holder, a reader, a device or a commit, stays as it is, and the writer gets a copy that takes
/// its place.
public final class FrameClaims {
  /// What a frame is claimed for.
  public enum Purpose {
    /// Content of a file: readers wait for the writer, which waits for no other. May be written
    /// back.
    CONTENT,
    /// Metadata without a log: readers copy. May be written back.
    METADATA,
    /// Metadata of a log: readers copy. Not written back by the cache: [Frame#held].
    LOGGED
  }

  /// What the writer finds in the frame.
  public enum Start {
    /// What the block holds: read from the device if it must be.
    CONTENT,
    ZEROS,
    /// Anything, be it of another file: for a writer of all of it, before it can be read.
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

  /// The frame of a block, which may be written until [#letGo]; each claim needs one.
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
            busy = true; // being given up, or looked at for that
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

  /// The common case, without a lock: the block is here, is not of the other kind, and no other
  /// holds it. While it is claimed it stays mapped, and what the stripe guards of it does not
  /// change: writers that do not claim lease what they mark.
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
    frame.hide(); // before another can join
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
  /// lease for the moment until he sees that it is not his block.
  private static void claimOwn(Frame frame) {
    while (!frame.claimOwn()) {
      Uninterruptibly.pause();
    }
  }

  /// Maps a copy in place of a frame that others hold.
  ///
  /// @return null when the frame is being given up: nothing was done
  private @Nullable Frame replace(long block, Frame old, Frame spare, Start start) {
    // One lease more, so that it is not claimed although the other holders may let go.
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
      frame.hide(); // before another can join
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

  /// Ends a claim: with the last one the bytes show, and may be leased.
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

  /// The block was freed: what is here of it is never written.
  public void forget(long block) {
    synchronized (table.stripe(block)) {
      Frame frame = table.get(block);
      if (frame != null) {
        clean(frame);
        frame.held = false;
      }
    }
  }

  /// As [#forget] for a block that cannot be used again soon: its frame is free at once, so that
  /// memory that is warm is used next, unless it is held.
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

  /// Leases a block as it is now. No writer has it in hand: the caller holds a journal's gate.
  ///
  /// @param onlyDirty not when the device has it already
  /// @return null when it is not here, or not dirty
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
      Uninterruptibly.pause(); // being looked at by a thread that gives frames up
    }
  }

  /// The log has these: what has not been changed since needs no protection but its lease.
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
