package sluice.fs.cache;

import java.util.Objects;
import sluice.memory.Memory;

/// Overwrites or discards contiguous blocks of content whose frames are adjacent in memory, using a
/// single copy. This class is thread-safe, and is called by journals on behalf of their
/// transactions.
///
/// Each frame of a run is claimed, and then all frames are written with a single copy. The claim
/// has no writer count, so no other thread can join it, which saves the cost of maintaining the
/// count. A thread that needs one of the blocks in the meantime, including a sync, retries until
/// the copy has completed. The copy does not call any other code. Nothing is known about a frame
/// before it is claimed. After that, the state that has been tested cannot change, because a thread
/// that maps, unmaps, cleans or loads the frame must first lease or claim it, or must hold the lock
/// of the file, which is held by the caller. No thread waits at the stripe for the end of this
/// claim, because only frames that are being loaded or that have writers are awaited there.
///
/// A thread that leases changed frames holds the monitor of [DirtyList] and waits for these claims.
/// Therefore this class must never wait for that monitor while it has claimed a frame that is in
/// the list. To ensure this, either all frames of a run are in the list, or none of them is.
///
/// A run consists of at most 64 blocks, so that no thread has to wait for a long time.
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

  /// Replaces blocks of content without using a log if their frames are in memory, have no other
  /// holder, and are adjacent. If the source fails, the blocks are filled with zeros.
  ///
  /// @return the number of blocks that were replaced; if it is 0, the caller must use
  ///   [FrameClaims#claim] for the first block
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
      if (!filled) { // it may contain bytes of another file
        zero(first, run);
      }
      if (!listed) {
        dirty.add(supply, first, run);
      }
      show(first, run);
    }
    return run;
  }

  /// Overwrites a range of content blocks that have been changed and not been written yet. These
  /// blocks do not have to be read, marked or awaited. This method never blocks.
  ///
  /// @param offset the offset in the first block
  /// @return the number of bytes written; if it is 0, the caller must take the general path
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

  /// Returns true if a claimed frame holds a block as content. Called by the claiming thread.
  private static boolean isContentOf(Frame frame, long block) {
    return frame.number() == block && !frame.held && !frame.loading;
  }

  /// Claims the frames after a claimed frame while they contain the following blocks, and are in
  /// the dirty list if and only if the first frame is.
  ///
  /// @param content true to claim only frames that already contain content; otherwise, the frames
  ///   become content
  /// @return the number of frames, including the first frame
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

  /// Discards the changes to blocks that were freed. Their cached content is never written.
  ///
  /// @return the number of blocks that were discarded, beginning with the first; the caller must
  ///   use [FrameClaims#forget] for the next block
  public int forget(long block, int count) {
    synchronized (dirty) { // inside of this monitor, a claim is tried but not awaited
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
