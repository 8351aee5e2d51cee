package sluice.fs.cache;

import java.util.Objects;
import sluice.memory.Memory;

/// Blocks of content that follow each other on the device and in memory, overwritten or forgotten
/// at once. Any thread may call; journals do, for their transactions.
///
/// Each frame of a run is claimed, then all are written with one copy. No thread joins such a
/// claim, because it has no writer that could be counted: a thread that wants the block meanwhile,
/// a sync too, looks again until the copy has ended, and the copy calls no other. That saves the
/// count. Before the claim nothing is known of a frame; after it all is stable that is asked here:
/// a thread that maps, unmaps, cleans or loads it leases or claims it before, or has the lock of
/// the file, which our caller holds. No thread waits at the stripe for the end of it either: only
/// frames that are loading, or have writers, are waited for there.
///
/// A thread that leases what is changed has the monitor of [DirtyList] and waits for such claims.
/// So none here waits for that monitor with a frame in hand that is on the list: the frames of a
/// run are all on it, or none is.
///
/// Limits: 64 blocks at once, so that no thread waits for long.
public final class FrameRuns {
  private static final int MOST = 64;

  private final BlockTable table;
  private final FrameSupply supply;
  private final DirtyList dirty;
  private final int blockShift;

  FrameRuns(BlockTable table, FrameSupply supply, DirtyList dirty, int blockBytes) {
    this.table = table;
    this.supply = supply;
    this.dirty = dirty;
    blockShift = Integer.numberOfTrailingZeros(blockBytes);
  }

  /// Replaces blocks of content without a log, as far as they are here, have no holder, and they
  /// are neighbours. When the source fails, they are zeros.
  ///
  /// @return how many; 0: [FrameClaims#claim] must be used for the first
  public int overwrite(long block, int count, Memory from, long at) {
    Frame first = table.find(block);
    if (first == null || !first.claim()) {
      return 0;
    }
    if (!isContentOf(first, block)) {
      first.endClaim();
      return 0;
    }
    boolean listed = first.dirty;
    int run = claimBehind(first, Math.min(count, MOST), false);
    boolean filled = false;
    hide(first, run);
    try {
      from.copyTo(at, supply.memory(), supply.offset(first), (long) run << blockShift);
      filled = true;
    } finally {
      if (!filled) { // what was there may be another file's
        zero(first, run);
      }
      if (!listed) {
        dirty.add(supply, first, run);
      }
      show(first, run);
    }
    return run;
  }

  /// Overwrites a part of blocks of content that have been changed before and are not written back
  /// yet, so that there is nothing to read, to mark or to wait for. Never waits.
  ///
  /// @param offset in the first block
  /// @return bytes written, as far as that holds; 0: another way must be gone
  public int overwriteChanged(long block, int offset, Memory from, long at, int bytes) {
    Objects.checkIndex(offset, 1 << blockShift);
    Frame first = table.find(block);
    if (first == null || !first.claim()) {
      return 0;
    }
    if (!isContentOf(first, block) || !first.content || !first.dirty) {
      first.endClaim();
      return 0;
    }
    if (bytes > (1 << blockShift) - offset) {
      return overwriteChangedRun(first, offset, from, at, bytes);
    }
    first.hide();
    try {
      from.copyTo(at, first, offset, bytes);
    } finally {
      first.show();
      first.endClaim();
    }
    return bytes;
  }

  private int overwriteChangedRun(Frame first, int offset, Memory from, long at, int bytes) {
    long most = ((long) offset + bytes + (1L << blockShift) - 1) >> blockShift;
    int run = claimBehind(first, (int) Math.min(most, MOST), true);
    int put = (int) Math.min(bytes, ((long) run << blockShift) - offset);
    hide(first, run);
    try {
      from.copyTo(at, supply.memory(), supply.offset(first) + offset, put);
    } finally {
      show(first, run);
    }
    return put;
  }

  /// By the thread that has claimed it.
  private static boolean isContentOf(Frame frame, long block) {
    return frame.number() == block && !frame.held && !frame.loading;
  }

  /// Claims what lies behind a frame that is claimed, as far as it holds the blocks that follow,
  /// and is on the list of what is changed if the first is.
  ///
  /// @param content only what is content already; if not, it becomes so
  /// @return number of frames, with the first
  private int claimBehind(Frame first, int most, boolean content) {
    long block = first.number();
    int run = 1;
    while (run < most) {
      Frame next = supply.neighbour(first, run);
      if (next == null || next.number() != block + run || !next.claim()) {
        break;
      }
      if (!isContentOf(next, block + run)
          || next.dirty != first.dirty
          || (content && !next.content)) {
        next.endClaim();
        break;
      }
      run++;
    }
    return run;
  }

  private void hide(Frame first, int run) {
    for (int i = 0; i < run; i++) {
      Frame frame = supply.at(first, i);
      frame.setContent(true);
      frame.hide();
    }
  }

  private void zero(Frame first, int run) {
    for (int i = 0; i < run; i++) {
      supply.at(first, i).segment().fill((byte) 0);
    }
  }

  private void show(Frame first, int run) {
    for (int i = 0; i < run; i++) {
      Frame frame = supply.at(first, i);
      frame.show();
      frame.endClaim();
    }
  }

  /// Blocks were freed: what is here of them is never written.
  ///
  /// @return how many from the first on; [FrameClaims#forget] must be used for the next
  public int forget(long block, int count) {
    synchronized (dirty) { // claims are only tried while it is held
      Frame frame = null;
      for (int done = 0; done < count; done++) {
        frame = frame == null ? null : supply.neighbour(frame, 1);
        if (frame == null || frame.number() != block + done) {
          frame = table.find(block + done);
        }
        if (frame == null || !frame.claim()) {
          return done;
        }
        boolean here = frame.number() == block + done && !frame.loading;
        if (here) {
          frame.held = false;
          if (frame.dirty) {
            frame.dirty = false;
            dirty.unlink(frame);
          }
        }
        frame.endClaim();
        if (!here) {
          return done;
        }
      }
    }
    return count;
  }
}
