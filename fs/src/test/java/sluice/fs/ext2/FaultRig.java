package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import sluice.fs.Blocks;
import sluice.fs.FaultyDevice;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.cache.TestCaches;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.storage.Journals;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// A mounted tree over a faulty device, whose cache is charged to an account. After [#close]
/// nothing of the cache may be held any more. Confined to the test's thread.
final class FaultRig implements AutoCloseable {
  private static final long CACHE_BYTES = 1 << 20;

  final FaultyDevice device;
  final Ext2 tree;
  final Memory memory;
  private final Block block = Blocks.of(1 << 20);
  private final Account account = new Account("cache under faults", CACHE_BYTES);
  private int closeErrno;

  /// Mounts an image.
  ///
  /// @param image an image, which the caller closes
  FaultRig(BlockDevice image) throws IOException {
    device = new FaultyDevice(image);
    memory = Memory.over(block, 0, 1 << 20);
    Geometry geometry = Geometry.of(Ext2.readSuperblock(device), device.lengthBytes());
    boolean journaled = geometry.journalInode != 0;
    if (journaled) {
      JournalMount.setNeedsRecovery(device, true);
    }
    BufferCache cache = TestCaches.open(device, geometry.blockBytes, CACHE_BYTES, account);
    Journal journal =
        journaled
            ? Journals.jbd2(cache, JournalMount.places(geometry, cache))
            : Journals.plain(cache);
    Geometry replayed = Geometry.of(Ext2.readSuperblock(device), device.lengthBytes());
    MountOptions options = MountOptions.defaults().withInodes(64).withAccessTimes(false);
    tree = Ext2.mount(device, new Volume(replayed, cache, journal, ""), options);
  }

  boolean readOnly() throws IOException {
    return tree.status().readOnly();
  }

  /// Returns the errno with which closing failed, 0 for none.
  int closeErrno() {
    return closeErrno;
  }

  /// Closes the tree in whatever state it is, and releases everything.
  @Override
  public void close() throws IOException {
    try {
      tree.close();
    } catch (FsException told) {
      closeErrno = told.errno();
      assertThat(told.errno()).as(told.getMessage()).isEqualTo(Errno.EIO);
    }
    memory.close();
    block.release();
    assertThat(account.usedBytes()).as("bytes of the cache that are held").isZero();
  }
}
