package sluice.fs.cache;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import sluice.fs.block.BlockDevice;

/// Writes changed blocks to their final locations on the device. This class is thread-safe. Only
/// one thread writes at a time, so that two versions of a block cannot be written concurrently.
public final class WriteBack {
  /// The maximum number of blocks in a single call of the device.
  private static final int BATCH = 256;

  private final BlockDevice device;
  private final int blockBytes;
  private final BlockTable table;
  private final DirtyList dirty;
  private final ReentrantLock writing = new ReentrantLock();

  /// Selects the blocks that are written only by the caller of [#snapshot].
  private volatile LongPredicate heldBack = _ -> false;

  WriteBack(BlockDevice device, int blockBytes, BlockTable table, DirtyList dirty) {
    this.device = device;
    this.blockBytes = blockBytes;
    this.table = table;
    this.dirty = dirty;
  }

  /// Excludes blocks that are written by a journal in its own order. Called once, before the first
  /// change.
  public void holdBack(LongPredicate blocks) {
    heldBack = blocks;
  }

  /// Writes the oldest changed blocks until at most `blocks` changed blocks remain. Blocks that
  /// were claimed by a writer or that are held back are skipped.
  ///
  /// @throws IOException if a block could not be written; it remains changed, as the newest block
  void reduceTo(long blocks) throws IOException {
    writing.lock();
    try {
      CollectedErrors failures = new CollectedErrors();
      // The number is limited because other threads continue to change blocks.
      int rest = dirty.count();
      List<FrameLease> batch = new ArrayList<>(BATCH);
      while (rest > 0 && dirty.count() > blocks) {
        batch.clear();
        dirty.lend((int) Math.min(BATCH, dirty.count() - blocks), heldBack, batch);
        if (batch.isEmpty()) {
          break;
        }
        rest -= batch.size();
        writeBatch(batch, failures);
      }
      failures.raise();
    } finally {
      writing.unlock();
    }
  }

  /// Writes at least the given number of changed blocks. See [#reduceTo].
  void reduceBy(int blocks) throws IOException {
    reduceTo(Math.max(0, dirty.count() - blocks));
  }

  /// Leases all changed blocks in their current state, except blocks claimed by a writer.
  public List<FrameLease> snapshot() {
    List<FrameLease> all = new ArrayList<>(dirty.count());
    dirty.lend(Integer.MAX_VALUE, _ -> false, all);
    return all;
  }

  /// Writes the frames that are still changed, and always releases all of the leases.
  public void write(List<FrameLease> frames) throws IOException {
    CollectedErrors failures = new CollectedErrors();
    writing.lock();
    try {
      for (int from = 0; from < frames.size(); from += BATCH) {
        writeBatch(frames.subList(from, Math.min(frames.size(), from + BATCH)), failures);
      }
    } finally {
      writing.unlock();
    }
    failures.raise();
  }

  /// Writes leased frames unconditionally, for a log that knows the newest versions. The leases are
  /// not released.
  public void writeAll(List<FrameLease> frames) throws IOException {
    writing.lock();
    try {
      for (int from = 0; from < frames.size(); from += BATCH) {
        List<FrameLease> part = new ArrayList<>();
        part.addAll(frames.subList(from, Math.min(frames.size(), from + BATCH)));
        transfer(part);
      }
    } finally {
      writing.unlock();
    }
  }

  private void writeBatch(List<FrameLease> batch, CollectedErrors failures) {
    List<FrameLease> wanted = new ArrayList<>(batch.size());
    for (FrameLease leased : batch) {
      if (stillChanged(leased)) {
        wanted.add(leased);
      }
    }
    try {
      transfer(wanted);
      wanted.forEach(this::settle);
    } catch (IOException oneFailed) {
      apart(wanted, failures);
    } finally {
      batch.forEach(leased -> leased.frame().release());
    }
  }

  /// Writes the blocks of a failed batch individually, so that only the blocks that cannot be
  /// written remain changed.
  private void apart(List<FrameLease> wanted, CollectedErrors failures) {
    for (FrameLease leased : wanted) {
      try {
        transfer(List.of(leased));
        settle(leased);
      } catch (IOException failed) {
        failures.add(failed);
        postpone(leased);
      }
    }
  }

  private void transfer(List<FrameLease> frames) throws IOException {
    if (frames.isEmpty()) {
      return;
    }
    BlockDevice.Transfer[] transfers =
        frames.stream()
            .sorted(Comparator.comparingLong(FrameLease::number))
            .map(f -> new BlockDevice.Transfer(f.number() * blockBytes, f.frame(), 0, blockBytes))
            .toArray(BlockDevice.Transfer[]::new);
    device.write(transfers, transfers.length);
  }

  /// Returns true if the content may not have been written to the device. An old version is also
  /// written as long as the new version has not been, because a thread may be waiting for it. If
  /// the new version has already been written, the old version is skipped.
  private boolean stillChanged(FrameLease leased) {
    synchronized (table.stripe(leased.number())) {
      Frame now = table.get(leased.number());
      return now != null && now.dirty;
    }
  }

  /// Marks a block as written. The block has not changed because its frame was leased.
  private void settle(FrameLease leased) {
    synchronized (table.stripe(leased.number())) {
      Frame frame = leased.frame();
      if (frame.number() == leased.number() && frame.dirty) {
        frame.dirty = false;
        dirty.remove(frame);
      }
    }
  }

  private void postpone(FrameLease leased) {
    synchronized (table.stripe(leased.number())) {
      Frame frame = leased.frame();
      if (frame.number() == leased.number() && frame.dirty) {
        dirty.remove(frame);
        dirty.add(frame);
      }
    }
  }
}
