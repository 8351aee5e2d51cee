package sluice.fs.ext2;

import java.io.IOException;
import sluice.fs.block.Buffer;
import sluice.fs.ext2.layout.SuperblockLayout;

/// Maintains the superblock fields that describe a mount: the state, the times and the free counts.
/// Instances are confined to the thread that mounts, syncs and closes the tree.
final class MountState {
  private final Volume volume;
  private int stateBefore;
  private int firstOrphan;

  MountState(Volume volume) {
    this.volume = volume;
  }

  /// A change to fields of the superblock.
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

  /// Begins a mount. If there is no journal, the image is marked as not clean until [#end] is
  /// called.
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

  /// Returns the newest inode of the orphan list that was left by a crash, or 0 if the list is
  /// empty.
  int firstOrphan() {
    return firstOrphan;
  }

  /// Stores the total free counts for use by other programs that read the image. The counts of the
  /// groups are authoritative.
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

  /// Ends a mount and restores the state from before the mount.
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
