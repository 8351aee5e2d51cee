package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.Images;
import sluice.fs.JournalRig;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.Memory;

/// Tests the list of files without a name, on the device and in memory.
@Timeout(120)
final class OrphansTest {
  private static final long BYTES = 8L << 20;

  /// A journal that records each metadata block before it is changed.
  private static final class Watched implements Journal {
    private final Journal journal;
    final List<Long> changed = new ArrayList<>();

    Watched(Journal journal) {
      this.journal = journal;
    }

    @Override
    public Transaction begin(int metadataBlocks) throws IOException {
      Transaction transaction = journal.begin(metadataBlocks);
      return new Transaction() {
        @Override
        public Buffer change(long block) throws IOException {
          changed.add(block);
          return transaction.change(block);
        }

        @Override
        public Buffer create(long block) throws IOException {
          return transaction.create(block);
        }

        @Override
        public Buffer data(long block, boolean fresh) throws IOException {
          return transaction.data(block, fresh);
        }

        @Override
        public void overwrite(long block, int count, Memory from, long at) throws IOException {
          transaction.overwrite(block, count, from, at);
        }

        @Override
        public void forget(long block) throws IOException {
          transaction.forget(block);
        }

        @Override
        public void forgetData(long block, int count) throws IOException {
          transaction.forgetData(block, count);
        }

        @Override
        public void abort(IOException reason) {
          transaction.abort(reason);
        }

        @Override
        public void close() {
          transaction.close();
        }
      };
    }

    @Override
    public boolean atomic() {
      return journal.atomic();
    }

    @Override
    public long point() {
      return journal.point();
    }

    @Override
    public void await(long point) throws IOException {
      journal.await(point);
    }

    @Override
    public void whenStable(long point, FileTree.StableListener then) {
      journal.whenStable(point, then);
    }

    @Override
    public void sync() throws IOException {
      journal.sync();
    }

    @Override
    public void close() throws IOException {
      journal.close();
    }
  }

  /// Checks that a file leaves the list before its inode is freed, because the next file with that
  /// inode may be put into the list at once.
  @Test
  void aFileLeavesTheListBeforeItsNumberIsFree() throws IOException {
    try (BlockDevice device = BlockDevices.memory(BYTES)) {
      Ext2Format.format(device, FormatOptions.forDevice(BYTES).withJournalBlocks(0), _ -> {});
      Geometry geometry = Geometry.of(Ext2.readSuperblock(device), BYTES);
      BufferCache cache = BufferCaches.open(device, geometry.blockBytes, 1 << 20);
      Watched journal = new Watched(Journals.plain(cache));
      Volume volume = new Volume(geometry, cache, journal, "");
      try (Ext2 tree = Ext2.mount(device, volume, MountOptions.defaults())) {
        long inode = tree.create(Caller.ROOT, 2, Ext2Rig.name("f"), NewFile.regular(0644));
        tree.retain(inode);
        tree.unlink(Caller.ROOT, 2, Ext2Rig.name("f"));
        journal.changed.clear();
        tree.release(inode);
        int list = journal.changed.indexOf(geometry.superblockBlock());
        int number = journal.changed.indexOf(volume.groups.inodeBitmap(0));
        assertThat(list).as("the list begins in the superblock").isBetween(0, number - 1);
      }
      assertThat(Images.problems(device)).isEmpty();
    }
  }

  /// Retains files at both ends and in the middle of the list, then crashes.
  @Test
  void whatIsKeptWhenItCrashesIsFreedByTheNextMount() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(BYTES, 1024)) {
      long free = rig.tree.status().freeBlocks();
      List<Long> kept = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        long inode = rig.file(rig.root(), "f" + i);
        rig.write(inode, 0, "x".repeat(20_000));
        rig.tree.retain(inode);
        kept.add(inode);
      }
      for (int i = 0; i < 12; i++) {
        rig.tree.unlink(Caller.ROOT, rig.root(), Ext2Rig.name("f" + i));
      }
      for (int gone : new int[] {11, 5, 0}) {
        rig.tree.release(kept.remove(gone));
      }
      rig.tree.sync();
      try (BlockDevice crashed = JournalRig.copy(rig.device)) {
        try (Ext2 after = Ext2.mount(crashed, MountOptions.defaults())) {
          assertThat(after.status().freeBlocks()).isEqualTo(free);
        }
        assertThat(Images.problems(crashed)).isEmpty();
      }
      for (long inode : kept) {
        rig.tree.release(inode);
      }
    }
  }

  /// Retains files without a name, one of them too large to be freed in one operation, and another
  /// file with a name. An orderly unmount frees all files without a name, with a journal and
  /// without.
  @ParameterizedTest
  @ValueSource(ints = {0, FormatOptions.MIN_JOURNAL_BLOCKS})
  void theEndOfAMountFreesWhatIsKept(int journalBlocks, @TempDir Path folder) throws Exception {
    FormatOptions format =
        FormatOptions.forDevice(BYTES).withBlockBytes(1024).withJournalBlocks(journalBlocks);
    try (Ext2Rig rig = new Ext2Rig(BYTES, format, MountOptions.defaults())) {
      long before = rig.tree.status().freeBlocks();
      for (String name : List.of("small", "large", "twice")) {
        long file = rig.file(rig.root(), name);
        rig.write(file, 0, name.repeat(name.equals("large") ? 200_000 : 100));
        rig.tree.retain(file);
        if (name.equals("twice")) {
          rig.tree.retain(file);
        }
        rig.tree.unlink(Caller.ROOT, rig.root(), Ext2Rig.name(name));
      }
      long directory = rig.directory(rig.root(), "d");
      rig.tree.retain(directory);
      rig.tree.rmdir(Caller.ROOT, rig.root(), Ext2Rig.name("d"));
      rig.tree.close();
      Images.assertClean(rig.device, folder.resolve("image"), "closed with files open");
      rig.remount();
      assertThat(rig.tree.status().freeBlocks()).isEqualTo(before);
    }
  }
}
