package sluice.fs.cache;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import sluice.fs.block.BlockDevice;

/// Brings changed blocks to their places on the device. Any thread may call; one at a time writes,
/// so that two versions of a block never race to the same place.
public final class WriteBack {
  /// Blocks in one call of the device.
  private static final int BATCH = 256;

  private final BlockDevice device;
  private final int blockBytes;
  private final BlockTable table;
  private final DirtyList dirty;
  private final ReentrantLock writing = new ReentrantLock();

  /// Blocks that are written only by a taker of a [#snapshot].
  private volatile LongPredicate heldBack = _ -> false;

  WriteBack(BlockDevice device, int blockBytes, BlockTable table, DirtyList dirty) {
    this.device = device;
    this.blockBytes = blockBytes;
    this.table = table;
    this.dirty = dirty;
  }

  /// Leaves blocks to a journal that writes them in its order. Called once, before any is changed.
  public void holdBack(LongPredicate blocks) {
    heldBack = blocks;
  }

  /// Writes the oldest changed blocks until at most so many are left. Those that a writer has in
  /// hand, or that are held back, are left out.
  ///
  /// @throws IOException when any could not be written; it stays, as the youngest
  void reduceTo(long blocks) throws IOException {
    writing.lock();
    try {
      CollectedErrors failures = new CollectedErrors();
      // Not more than are there now: other threads go on changing.
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

  /// As [#reduceTo], by so many at least.
  void reduceBy(int blocks) throws IOException {
    reduceTo(Math.max(0, dirty.count() - blocks));
  }

  /// Leases all changed blocks as they are now, but those that a writer has in hand.
  public List<FrameLease> snapshot() {
    List<FrameLease> all = new ArrayList<>(dirty.count());
    dirty.lend(Integer.MAX_VALUE, _ -> false, all);
    return all;
  }

  /// Writes those of the frames that are changed still, and ends the leases, whatever happens.
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

  /// Writes leased frames as they are, for a log that knows what is newest, and keeps the leases.
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

  /// One of the batch failed: each alone, so that only what cannot be written stays.
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

  /// Whether the device may lack it. An old version is written too while the new one is not: a
  /// thread may be waiting for it. It is not when the new one has been written already.
  private boolean stillChanged(FrameLease leased) {
    synchronized (table.stripe(leased.number())) {
      Frame now = table.get(leased.number());
      return now != null && now.dirty;
    }
  }

  /// It is on the device as it is in the frame, which could not be changed: it was leased.
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
