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

/// The buffer cache. Safe for use by any thread; blocks in memory are found, leased and copied
/// without a lock.
///
/// Locking: a stripe of [BlockTable] is held for a few steps, never during a transfer. The monitors
/// of [FrameSupply] and [DirtyList] are taken alone or inside of a stripe. The lock of [WriteBack]
/// is held during a transfer, by writers only.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | frames | see [Frame] | | |
///
/// Limits: the cache holds a fixed number of blocks. Up to five eighths of them may be changed;
/// from one half on they are written in the background. When all are leased or changed, changed
/// blocks are written back; if that yields no frame for ten seconds, the caller gets `ENOMEM`.
public final class FrameCache implements BufferCache {
  private static final int FEWEST_FRAMES = 64;

  /// The number of attempts for a copy that a writer disturbs.
  private static final int ATTEMPTS = 16;

  /// The number of blocks in one copy. A copy cannot be interrupted, and a safepoint waits for it.
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
  /// ends.
  ///
  /// @param blockBytes 1024, 2048 or 4096
  /// @param cacheBytes memory for blocks, at least 64 blocks; allocated at once, touched when
  ///   needed
  /// @throws FsException `ENOMEM` if the account has no room
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

  /// Allocates the frames as one block of a region of its own, which ends with it. So the device
  /// registers one range, and adjacent frames are contiguous.
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

  /// Copies from adjacent frames with a single copy.
  ///
  /// Versions only grow, so an unchanged sum of the versions proves that none has changed.
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

  /// Makes room before a change if too many blocks are changed. The changing thread pays for the
  /// writes.
  public void throttle() throws IOException {
    flusher.changed();
    if (dirty.count() > dirtyLimit) {
      writeBack.reduceTo(dirtyLimit - dirtyLimit / 4L);
    }
  }

  /// Replaces the content of a block, to repair a device before it is used.
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
