package sluice.fs;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import sluice.fs.block.BlockDevice;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// A device that fails on demand. Safe for use by any thread; the plan may change at any time.
public final class FaultyDevice extends DeviceOverDevice {
  public final AtomicInteger failed = new AtomicInteger();
  public volatile @Nullable LongPredicate readFails;
  public volatile @Nullable LongPredicate writeFails;
  public volatile @Nullable BooleanSupplier flushFails;

  /// If set, some sectors of a failing write are stored all the same.
  public volatile @Nullable Random torn;

  public FaultyDevice(BlockDevice device) {
    super(device);
  }

  /// Ends all faults.
  public void heal() {
    readFails = null;
    writeFails = null;
    flushFails = null;
    torn = null;
  }

  private static boolean says(@Nullable LongPredicate plan, long position) {
    return plan != null && plan.test(position);
  }

  private FsException fault(String what, long position) {
    failed.incrementAndGet();
    return FsException.of(Errno.EIO, "planned failure of a " + what + " at " + position);
  }

  @Override
  public void read(long position, Block into, long offset, int bytes) throws IOException {
    if (says(readFails, position)) {
      throw fault("read", position);
    }
    super.read(position, into, offset, bytes);
  }

  @Override
  public void write(long position, Block from, long offset, int bytes) throws IOException {
    if (says(writeFails, position)) {
      Random random = torn;
      int sector = sectorBytes();
      for (int at = 0; random != null && at < bytes; at += sector) {
        if (random.nextBoolean()) {
          super.write(position + at, from, offset + at, sector);
        }
      }
      throw fault("write", position);
    }
    super.write(position, from, offset, bytes);
  }

  @Override
  public void flush() throws IOException {
    BooleanSupplier plan = flushFails;
    if (plan != null && plan.getAsBoolean()) {
      throw fault("flush", 0);
    }
    super.flush();
  }
}
