package sluice.fs.ext2;

import java.io.IOException;
import sluice.fs.block.Buffer;
import sluice.fs.ext2.layout.SuperblockLayout;

/// What a mount writes into the superblock: that it is in use, when, and how much is free. Of the
/// thread that mounts, syncs and closes the tree.
final class MountState {
  private final Volume volume;
  private int stateBefore;
  private int firstOrphan;

  MountState(Volume volume) {
    this.volume = volume;
  }

  /// Writes fields of the superblock.
  private interface Fields {
    void write(Buffer superblock, int at);
  }

  private void change(Fields fields) throws IOException {
    try (Operation op = volume.begin(1)) {
      volume.superblockLock.lock();
      try (Buffer b = op.change(volume.geometry.superblockBlock())) {
        fields.write(b, volume.geometry.superblockOffset());
      } finally {
        volume.superblockLock.unlock();
      }
      op.done();
    }
  }

  /// A mount begins: without a journal the image is not clean until it ends.
  void begin() throws IOException {
    int now = (int) (Volume.now() / 1_000_000_000L);
    change((b, at) -> {
      stateBefore = b.getShort(at + SuperblockLayout.STATE);
      firstOrphan = b.getInt(at + SuperblockLayout.LAST_ORPHAN);
      int mounts = b.getShort(at + SuperblockLayout.MOUNT_COUNT);
      b.setShort(at + SuperblockLayout.MOUNT_COUNT, Math.min(mounts + 1, 0xFFFF));
      b.setInt(at + SuperblockLayout.MOUNT_TIME, now);
      b.setInt(at + SuperblockLayout.WRITE_TIME, now);
      if (!volume.journal.atomic()) {
        b.setShort(at + SuperblockLayout.STATE, stateBefore & ~SuperblockLayout.STATE_VALID);
      }
    });
  }

  /// The newest of the files that a crash has left without a name, 0 when there is none.
  int firstOrphan() {
    return firstOrphan;
  }

  /// Free blocks and inodes are counted per group; the sums are for programs that look at the
  /// image.
  void storeCounts() throws IOException {
    long blocks = volume.groups.freeBlocks();
    long inodes = volume.groups.freeInodes();
    int now = (int) (Volume.now() / 1_000_000_000L);
    change((b, at) -> {
      b.setInt(at + SuperblockLayout.FREE_BLOCKS, (int) blocks);
      b.setInt(at + SuperblockLayout.FREE_INODES, (int) inodes);
      b.setInt(at + SuperblockLayout.WRITE_TIME, now);
    });
  }

  /// A mount ends: the image is as clean as it was.
  void end() throws IOException {
    if (!volume.journal.atomic()) {
      change((b, at) -> {
        int errors = b.getShort(at + SuperblockLayout.STATE) & SuperblockLayout.STATE_ERROR;
        b.setShort(at + SuperblockLayout.STATE, stateBefore | errors);
      });
      volume.journal.sync();
    }
  }
}
