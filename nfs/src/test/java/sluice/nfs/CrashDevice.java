package sluice.nfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.fs.block.BlockDevice;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// A device in memory that records which writes a crash would lose. Thread-safe.
public final class CrashDevice implements BlockDevice {
  private static final int SECTOR_BYTES = 512;
  private static final int PIECE_BYTES = 1 << 20;

  @SuppressWarnings("ArrayRecordComponent") // the bytes are not changed
  private record Write(long position, byte[] bytes) {}

  private final BlockDevice device;
  private final BlockDevice stable;
  private final List<Write> unflushed = new ArrayList<>();
  private final AtomicInteger flushes = new AtomicInteger();
  private final AtomicInteger reads = new AtomicInteger();

  /// Serializes flushes: each takes away the writes that it has found unflushed.
  private final Object flushing = new Object();

  private volatile long flushNanos;
  private volatile @Nullable CountDownLatch held;
  private volatile boolean broken;

  public CrashDevice(int bytes) throws IOException {
    device = BlockDevices.memory(bytes);
    stable = BlockDevices.memory(bytes);
  }

  /// Makes each flush take a time, as on a disk.
  public void slowFlush(long nanos) {
    flushNanos = nanos;
  }

  /// Holds all flushes until [#letFlushesGo].
  public void holdFlushes() {
    held = new CountDownLatch(1);
  }

  public void letFlushesGo() {
    CountDownLatch holds = held;
    held = null;
    if (holds != null) {
      holds.countDown();
    }
  }

  /// Makes all flushes fail.
  public void breakFlushes() {
    broken = true;
  }

  /// Returns the number of reads.
  public int reads() {
    return reads.get();
  }

  public int flushes() {
    return flushes.get();
  }

  /// Returns a device with all writes: the state after the server was killed.
  public CrashDevice killed() throws IOException {
    return copy(new Random(0), 1.0);
  }

  /// Returns a device with the flushed writes and a random part of the others, sector by sector:
  /// the state after a crash of the machine.
  public CrashDevice crashed(Random random) throws IOException {
    return copy(random, random.nextInt(3) / 2.0);
  }

  private synchronized CrashDevice copy(Random random, double share) throws IOException {
    CrashDevice made = new CrashDevice((int) lengthBytes());
    Block block = block();
    for (long at = 0; at < lengthBytes(); at += PIECE_BYTES) {
      int count = (int) Math.min(PIECE_BYTES, lengthBytes() - at);
      stable.read(at, block, 0, count);
      made.device.write(at, block, 0, count);
      made.stable.write(at, block, 0, count);
    }
    for (Write write : unflushed) {
      MemorySegment.copy(
          write.bytes, 0, block.segment(), ValueLayout.JAVA_BYTE, 0, write.bytes.length);
      for (int at = 0; at < write.bytes.length; at += SECTOR_BYTES) {
        if (random.nextDouble() < share) {
          made.device.write(write.position + at, block, at, SECTOR_BYTES);
          made.stable.write(write.position + at, block, at, SECTOR_BYTES);
        }
      }
    }
    block.release();
    return made;
  }

  private static Block block() {
    Block block = Block.allocate(new Account("crash", PIECE_BYTES), PIECE_BYTES);
    if (block == null) {
      throw new AssertionError("no memory");
    }
    return block;
  }

  @Override
  public long lengthBytes() {
    return device.lengthBytes();
  }

  @Override
  public void read(long position, Block into, long offset, int bytes) throws IOException {
    reads.incrementAndGet();
    device.read(position, into, offset, bytes);
  }

  @Override
  public void write(long position, Block from, long offset, int bytes) throws IOException {
    if (bytes > PIECE_BYTES) {
      throw new AssertionError("a write of " + bytes + " bytes");
    }
    byte[] copy = from.segment().asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
    device.write(position, from, offset, bytes);
    synchronized (this) {
      unflushed.add(new Write(position, copy));
    }
  }

  @Override
  public void flush() throws IOException {
    synchronized (flushing) {
      flushOne();
    }
  }

  private void flushOne() throws IOException {
    List<Write> before;
    synchronized (this) {
      before = List.copyOf(unflushed);
    }
    LockSupport.parkNanos(flushNanos);
    CountDownLatch holds = held;
    if (holds != null) {
      try {
        if (!holds.await(100, TimeUnit.SECONDS)) {
          throw new IOException("the test has held this flush for too long");
        }
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
    }
    if (broken) {
      throw new IOException("the test has broken the device");
    }
    device.flush();
    flushes.incrementAndGet();
    synchronized (this) {
      Block block = block();
      for (Write write : before) {
        MemorySegment.copy(
            write.bytes, 0, block.segment(), ValueLayout.JAVA_BYTE, 0, write.bytes.length);
        stable.write(write.position, block, 0, write.bytes.length);
      }
      block.release();
      unflushed.subList(0, before.size()).clear();
    }
  }

  @Override
  public void close() throws IOException {
    device.close();
    stable.close();
  }
}
