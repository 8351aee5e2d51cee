package sluice.fs;

import java.io.IOException;
import java.util.stream.LongStream;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.fs.cache.TestCaches;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.Journals;

/// A device with a journal in blocks 8 and up, together with the objects needed to use it. Nothing
/// is committed before a caller requests it or the journal needs space.
public final class JournalRig implements AutoCloseable {
  public static final int BLOCK = 1024;
  public static final long BLOCKS = 2048;
  public static final long FIRST = 1024;
  public static final byte[] UUID =
      "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

  public final BlockDevice device;
  public final BufferCache cache;
  public final Journal journal;

  private JournalRig(BlockDevice device, BufferCache cache, Journal journal) {
    this.device = device;
    this.cache = cache;
    this.journal = journal;
  }

  public static long[] places(int logBlocks) {
    return LongStream.range(8, 8 + logBlocks).toArray();
  }

  public static void format(BlockDevice device, int logBlocks) throws IOException {
    Journals.create(device, BLOCK, places(logBlocks), UUID);
  }

  public static JournalRig open(BlockDevice device, int logBlocks, int frames) throws IOException {
    BufferCache cache = TestCaches.open(device, BLOCK, (long) frames * BLOCK);
    try {
      return new JournalRig(device, cache, Journals.jbd2(cache, places(logBlocks)));
    } catch (IOException | RuntimeException refused) {
      cache.close();
      throw refused;
    }
  }

  /// Opens a rig on a fresh in-memory device.
  public static JournalRig fresh(int logBlocks, int frames) throws IOException {
    BlockDevice device = BlockDevices.memory(BLOCKS * BLOCK);
    format(device, logBlocks);
    return open(device, logBlocks, frames);
  }

  /// Changes metadata blocks in one transaction.
  public void change(long version, long... blocks) throws IOException {
    try (Transaction transaction = journal.begin(blocks.length)) {
      for (long block : blocks) {
        Stamps.write(transaction.change(block).block(), block, version);
      }
    }
  }

  public void content(long version, long block, boolean fresh) throws IOException {
    try (Transaction transaction = journal.begin(0);
        Buffer buffer = transaction.data(block, fresh)) {
      Stamps.write(buffer.block(), block, version);
    }
  }

  public long version(long block) throws IOException {
    try (Buffer buffer = cache.read(block)) {
      return Stamps.version(buffer.block().segment(), block);
    }
  }

  /// Returns a copy of the device as a crash would leave it at this moment.
  public BlockDevice copy() throws IOException {
    return copy(device);
  }

  public static BlockDevice copy(BlockDevice device) throws IOException {
    int bytes = (int) device.lengthBytes();
    sluice.memory.block.Block all = Blocks.of(bytes);
    device.read(0, all, 0, bytes);
    BlockDevice copy = BlockDevices.memory(bytes);
    copy.write(0, all, 0, bytes);
    all.release();
    return copy;
  }

  /// Closes the rig in whatever state the journal is.
  @Override
  public void close() throws IOException {
    try {
      journal.close();
    } catch (IOException failedBefore) {
      if (!String.valueOf(failedBefore.getMessage()).contains("the journal has failed")) {
        throw failedBefore;
      }
    } finally {
      cache.close();
    }
  }
}
