package sluice.fs.cache;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BlockDevice.Transfer;
import sluice.sys.threads.ThreadEnds;

/// Reads blocks that are likely to be requested soon. Any thread may submit requests, which are
/// processed by a thread of the cache that is started with the first request. If the queue is full,
/// requests are dropped, and the blocks are read when they are needed.
final class ReadAhead {
  private static final int BATCH = 64;
  private static final int REQUESTS = 64;

  private record Range(long first, int count) {}

  private final BlockDevice device;
  private final int blockBytes;
  private final long blocks;
  private final BlockTable table;
  private final FrameLoader loader;
  private final int most;

  /// The pending requests. This field and the next field are guarded by the monitor of this object.
  private final ArrayDeque<Range> requests = new ArrayDeque<>(REQUESTS);

  private @Nullable Thread reader;
  private volatile boolean closed;

  /// Creates a reader.
  ///
  /// @param most the maximum number of blocks per request, so that blocks are not evicted before
  ///   use
  ReadAhead(
      BlockDevice device,
      int blockBytes,
      long blocks,
      BlockTable table,
      FrameLoader loader,
      int most) {
    this.device = device;
    this.blockBytes = blockBytes;
    this.blocks = blocks;
    this.table = table;
    this.loader = loader;
    this.most = most;
  }

  void ask(long first, int count) {
    if (first < 0 || first >= blocks || count <= 0) {
      return;
    }
    int inside = (int) Math.min(Math.min(count, most), blocks - first);
    for (int i = 0; i < inside; i++) {
      if (table.find(first + i) == null) {
        add(new Range(first + i, inside - i));
        return;
      }
    }
  }

  private synchronized void add(Range range) {
    if (closed || requests.size() == REQUESTS) {
      return;
    }
    if (reader == null) {
      reader = Thread.ofPlatform().daemon().name("sluice fs read-ahead").start(this::run);
    }
    requests.add(range);
    notifyAll();
  }

  /// Waits for a request. Returns null if the reader has been closed, even if requests are pending.
  private synchronized @Nullable Range next() {
    while (requests.isEmpty() && !closed) {
      Uninterruptibly.awaitAsOwn(this, 0);
    }
    return closed ? null : requests.poll();
  }

  private void run() {
    for (Range range = next(); range != null; range = next()) {
      for (int done = 0; done < range.count && !closed; done += BATCH) {
        read(range.first + done, Math.min(BATCH, range.count - done));
      }
    }
  }

  private void read(long first, int count) {
    List<FrameLease> reserved = new ArrayList<>(count);
    try {
      for (long block = first; block < first + count; block++) {
        Frame frame = table.find(block) == null ? loader.reserve(block) : null;
        if (frame != null) {
          reserved.add(new FrameLease(block, frame));
        }
      }
      Transfer[] transfers = new Transfer[reserved.size()];
      for (int i = 0; i < transfers.length; i++) {
        FrameLease at = reserved.get(i);
        transfers[i] = new Transfer(at.number() * blockBytes, at.frame(), 0, blockBytes);
      }
      device.read(transfers, transfers.length);
      reserved.forEach(at -> loader.loaded(at.number(), at.frame(), false));
    } catch (IOException | RuntimeException failed) {
      // A caller that needs the block reads it itself and receives the error.
      reserved.forEach(at -> loader.abandon(at.number(), at.frame()));
    } finally {
      reserved.forEach(at -> at.frame().release());
    }
  }

  /// Terminates the thread after the current batch. Pending requests are dropped.
  void close() {
    Thread running;
    synchronized (this) {
      closed = true;
      running = reader;
      notifyAll();
    }
    ThreadEnds.join(running);
  }
}
