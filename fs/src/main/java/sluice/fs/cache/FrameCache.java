package sluice.fs.cache;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.memory.block.Region;
import sluice.sys.Errno;

/// An implementation of the buffer cache. This class is thread-safe, and blocks that are in memory
/// are found, leased and copied without acquiring a lock.
///
/// A stripe of [BlockTable] is held only for a few steps and never during a transfer. The monitors
/// of [FrameSupply] and [DirtyList] are acquired either alone or while a stripe is held. The lock
/// of [WriteBack] is held during a transfer, but only by writers.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | frames | see [Frame] | | |
///
/// The cache contains a fixed number of blocks. At most five eighths of them may be changed, and
/// they are written in the background when half of the blocks have been changed. If all blocks are
/// leased or changed, changed blocks are written. If no frame becomes available within ten seconds,
/// the caller receives `ENOMEM`.
public final class FrameCache implements BufferCache {
  private static final int FEWEST_FRAMES = 64;

  /// The maximum number of attempts for a copy that is disturbed by a writer.
  private static final int ATTEMPTS = 16;

  /// The maximum number of blocks in a single copy. A copy cannot be interrupted and delays
  /// safepoints.
  private static final int MOST_RUN = 256;

  private final BlockDevice device;
  private final int blockBytes;
  private final int blockShift;
  private final long blocks;
  private final BlockTable table;
  private final FrameSupply supply;
  private final DirtyList dirty = new DirtyList();
  private final WriteBack writeBack;
  private final FrameLoader loader;
  private final FrameClaims claims;
  private final FrameRuns runs;
  private final ReadAhead readAhead;
  private final Flusher flusher;
  private final int dirtyLimit;
  private final CacheDelays times;

  private FrameCache(
      BlockDevice device, int blockBytes, FrameSupply supply, BlockTable table, CacheDelays times) {
    this.device = device;
    this.times = times;
    this.blockBytes = blockBytes;
    blockShift = Integer.numberOfTrailingZeros(blockBytes);
    this.table = table;
    this.supply = supply;
    blocks = device.lengthBytes() / blockBytes;
    writeBack = new WriteBack(device, blockBytes, table, dirty);
    long frameNanos = TimeUnit.MILLISECONDS.toNanos(times.frameMillis());
    loader = new FrameLoader(device, blockBytes, table, supply, writeBack, frameNanos);
    claims = new FrameClaims(table, supply, dirty, loader);
    runs = new FrameRuns(table, supply, dirty, blockBytes);
    readAhead = new ReadAhead(device, blockBytes, blocks, table, loader, supply.count() / 8);
    dirtyLimit = supply.count() / 8 * 5;
    flusher = new Flusher(writeBack, dirty, supply.count() / 2, times.oldMillis());
  }

  /// Opens a cache on a device. Its memory is charged to an account until the last lease of a block
  /// has been released.
  ///
  /// @param blockBytes the block size, which is 1024, 2048 or 4096
  /// @param cacheBytes the amount of memory for at least 64 blocks; it is allocated immediately but
  ///   not accessed until it is needed
  /// @throws FsException `ENOMEM` if the account does not have enough room
  public static FrameCache open(
      BlockDevice device, int blockBytes, long cacheBytes, Account account, CacheDelays times)
      throws IOException {
    if (blockBytes != 1024 && blockBytes != 2048 && blockBytes != 4096) {
      throw new IllegalArgumentException("blocks are 1024, 2048 or 4096 bytes, not " + blockBytes);
    }
    if (device.sectorBytes() > blockBytes) {
      throw FsException.of(
          Errno.EINVAL,
          "blocks of "
              + blockBytes
              + " bytes are smaller than the device's sectors of "
              + device.sectorBytes());
    }
    if (cacheBytes / blockBytes < FEWEST_FRAMES
        || cacheBytes / blockBytes > Integer.MAX_VALUE / 8) {
      throw new IllegalArgumentException(
          "a cache has " + FEWEST_FRAMES + " blocks or more, not " + cacheBytes / blockBytes);
    }
    return open(device, blockBytes, (int) (cacheBytes / blockBytes), account, times);
  }

  private static FrameCache open(
      BlockDevice device, int blockBytes, int frames, Account account, CacheDelays times)
      throws IOException {
    long bytes = (long) frames * blockBytes;
    Block memory = allocate(account, bytes, blockBytes);
    device.register(memory.segment());
    BlockTable table = new BlockTable(frames);
    FrameSupply supply = new FrameSupply(memory, table, blockBytes, frames);
    return new FrameCache(device, blockBytes, supply, table, times);
  }

  /// Allocates the frames as a single block of a separate region, which is released together with
  /// the block. As a result, the device registers only one range, and adjacent frames are
  /// contiguous in memory.
  private static Block allocate(Account account, long bytes, int blockBytes) throws IOException {
    Block memory = Region.single("buffer cache", account, bytes, blockBytes, true);
    if (memory == null) {
      throw FsException.of(Errno.ENOMEM, "no room for a buffer cache of " + bytes + ": " + account);
    }
    return memory;
  }

  @Override
  public int blockBytes() {
    return blockBytes;
  }

  @Override
  public long blocks() {
    return blocks;
  }

  @Override
  public Buffer read(long block) throws IOException {
    Frame frame = leased(block);
    return new ReadBuffer(block, frame != null ? frame : loader.read(block));
  }

  @Override
  public @Nullable Buffer cached(long block) {
    Frame frame = leased(block);
    return frame == null ? null : new ReadBuffer(block, frame);
  }

  @Override
  public @Nullable Block lease(long block) {
    return leased(block);
  }

  private @Nullable Frame leased(long block) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Frame frame = table.find(block);
      if (frame == null || !frame.lend()) {
        return null;
      }
      if (frame.shows(block)) {
        frame.touch(supply.epoch());
        return frame;
      }
      frame.release();
    }
    return null;
  }

  @Override
  public int copy(long block, int offset, Memory into, long at, int count) {
    Objects.checkIndex(offset, blockBytes);
    int done = 0;
    while (done < count) {
      long from = offset + (long) done;
      long next = block + (from >> blockShift);
      int piece = copyRun(next, (int) (from & (blockBytes - 1)), into, at + done, count - done);
      if (piece == 0) {
        break;
      }
      done += piece;
    }
    return done;
  }

  /// Copies bytes from adjacent frames with a single copy operation.
  ///
  /// Versions only increase, so if the sum of the versions is unchanged, none of them has changed.
  private int copyRun(long block, int offset, Memory into, long at, int count) {
    int most = (int) Math.min(MOST_RUN, ((long) offset + count + blockBytes - 1) >> blockShift);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Frame frame = table.find(block);
      if (frame == null) {
        return 0;
      }
      int versions = frame.versionAcquire();
      if ((versions & 1) == 0 && frame.number() == block) {
        int run = 1;
        Frame next = most > 1 ? supply.neighbour(frame, 1) : null;
        while (next != null) {
          int version = next.versionAcquire();
          if ((version & 1) != 0 || next.number() != block + run) {
            break;
          }
          versions += version;
          run++;
          next = run < most ? supply.neighbour(frame, run) : null;
        }
        int bytes = Math.min(count, (run << blockShift) - offset);
        into.copyFrom(supply.memory(), supply.offset(frame) + offset, at, bytes);
        if (supply.versionsAfterReading(frame, run) == versions) {
          return bytes;
        }
      }
      most = 1; // after a conflict with a writer, copies one frame at a time
      Thread.onSpinWait();
    }
    return 0;
  }

  @Override
  public long peekInt(long block, int offset) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Frame frame = table.find(block);
      if (frame == null) {
        return -1;
      }
      int version = frame.versionAcquire();
      if ((version & 1) == 0 && frame.number() == block) {
        long value = Buffer.unsignedInt(frame, offset);
        if (frame.versionAfterReading() == version) {
          frame.touch(supply.epoch());
          return value;
        }
      }
      Thread.onSpinWait();
    }
    return -1;
  }

  @Override
  public void readAhead(long first, int count) {
    readAhead.ask(first, count);
  }

  @Override
  public void writeBack(long bytes) throws IOException {
    writeBack.reduceTo(bytes / blockBytes);
  }

  @Override
  public void sync() throws IOException {
    writeBack.reduceTo(0);
    device.flush();
  }

  @Override
  public long dirtyBytes() {
    return (long) dirty.count() * blockBytes;
  }

  /// Writes changed blocks before a change is made if too many blocks are changed. The writes are
  /// performed by the thread that makes the change.
  public void throttle() throws IOException {
    flusher.changed();
    if (dirty.count() > dirtyLimit) {
      writeBack.reduceTo(dirtyLimit - dirtyLimit / 4L);
    }
  }

  /// Replaces the content of a block in order to repair a device before it is used.
  public void overwrite(long block, MemorySegment bytes) throws IOException {
    Frame frame = claims.claim(block, FrameClaims.Start.ANY, FrameClaims.Purpose.METADATA);
    frame.segment().copyFrom(bytes);
    claims.letGo(frame);
  }

  public FrameClaims claims() {
    return claims;
  }

  public FrameRuns runs() {
    return runs;
  }

  public WriteBack writeBack() {
    return writeBack;
  }

  public BlockDevice device() {
    return device;
  }

  public CacheDelays times() {
    return times;
  }

  public int frames() {
    return supply.count();
  }

  @Override
  public void close() throws IOException {
    readAhead.close();
    flusher.close();
    try {
      if (loader.open()) {
        sync();
      }
    } finally {
      if (loader.close()) {
        supply.close();
      }
    }
  }
}
