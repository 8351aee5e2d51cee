package sluice.fs;

import java.io.IOException;
import java.util.stream.LongStream;

/// A device with a journal in blocks 8 and up, and what is needed to use it.
final class JournalRig implements AutoCloseable {
  static final int BLOCK = 1024;
  static final long BLOCKS = 2048;
  static final long FIRST = 1024;
  static final byte[] UUID =
      "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

  final BlockDevice device;
  final BufferCache cache;
  final Journal journal;

  private JournalRig(BlockDevice device, BufferCache cache, Journal journal) {
    this.device = device;
    this.cache = cache;
    this.journal = journal;
  }

  static long[] places(int logBlocks) {
    return LongStream.range(8, 8 + logBlocks).toArray();
  }

  static void format(BlockDevice device, int logBlocks) throws IOException {
    Journals.create(device, BLOCK, places(logBlocks), UUID);
  }

  static JournalRig open(BlockDevice device, int logBlocks, int frames) throws IOException {
    BufferCache cache = BufferCaches.open(device, BLOCK, (long) frames * BLOCK);
    try {
      return new JournalRig(device, cache, Journals.jbd2(cache, places(logBlocks)));
    } catch (IOException | RuntimeException refused) {
      cache.close();
      throw refused;
    }
  }

  /// A rig on a fresh device in memory.
  static JournalRig fresh(int logBlocks, int frames) throws IOException {
    BlockDevice device = BlockDevices.memory(BLOCKS * BLOCK);
    format(device, logBlocks);
    return open(device, logBlocks, frames);
  }

  /// Changes metadata blocks in one transaction.
  void change(long version, long... blocks) throws IOException {
    try (Transaction transaction = journal.begin(blocks.length)) {
      for (long block : blocks) {
        Stamps.write(transaction.change(block).block(), block, version);
      }
    }
  }

  void content(long version, long block, boolean fresh) throws IOException {
    try (Transaction transaction = journal.begin(0);
        Buffer buffer = transaction.data(block, fresh)) {
      Stamps.write(buffer.block(), block, version);
    }
  }

  long version(long block) throws IOException {
    try (Buffer buffer = cache.read(block)) {
      return Stamps.version(buffer.block().segment(), block);
    }
  }

  /// Leaves the device as a crash would: nothing more is written.
  BlockDevice copy() throws IOException {
    return copy(device);
  }

  static BlockDevice copy(BlockDevice device) throws IOException {
    int bytes = (int) device.lengthBytes();
    sluice.memory.Block all = Blocks.of(bytes);
    device.read(0, all, 0, bytes);
    BlockDevice copy = BlockDevices.memory(bytes);
    copy.write(0, all, 0, bytes);
    all.release();
    return copy;
  }

  /// Ends, whatever state the journal is in.
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
