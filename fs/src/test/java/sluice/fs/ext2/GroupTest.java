package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Errnos;
import sluice.fs.FileTree;
import sluice.fs.NewFile;
import sluice.sys.Errno;

/// Tests groups with many changes.
@Timeout(120)
final class GroupTest {
  private static final int PIECE_BYTES = 64 << 10;

  private static void check(Ext2Rig rig) throws IOException {
    rig.remount();
    rig.tree.close();
    List<String> problems = new ArrayList<>();
    Ext2Check.check(rig.device, problems::add, _ -> {});
    assertThat(problems).isEmpty();
  }

  /// Checks that a change that makes a group too large for the journal is refused before it takes
  /// effect. The tree stays usable and contains the earlier changes.
  @Test
  void tooMuchIsRefused() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(24 << 20, 1024)) {
      NewFile what = NewFile.regular(0600).withJournaledData();
      long journaled = rig.tree.create(Ext2Rig.ROOT, rig.root(), Ext2Rig.name("j"), what);
      long[] written = new long[1];
      FileTree.Group group = rig.tree.group();
      try (group) {
        rig.file(rig.root(), "before");
        int errno =
            Errnos.of(() -> {
              for (int i = 0; i < 300; i++) {
                written[0] +=
                    rig.tree.write(Ext2Rig.ROOT, journaled, written[0], rig.memory, 0, PIECE_BYTES);
              }
            });
        assertThat(Errno.name(errno)).isEqualTo("E2BIG");
      }
      assertThat(rig.tree.status().readOnly()).isFalse();
      assertThat(written[0]).isPositive();
      rig.write(rig.file(rig.root(), "after"), 0, "goes on");
      rig.tree.sync();
      rig.remount();
      assertThat(rig.tree.attributes(journaled).sizeBytes()).isGreaterThanOrEqualTo(written[0]);
      for (String name : List.of("before", "after")) {
        assertThat(rig.tree.lookup(Ext2Rig.ROOT, rig.root(), Ext2Rig.name(name))).isPositive();
      }
      check(rig);
    }
  }

  /// Checks that the space of files removed in a group is freed after the group, however much it
  /// is.
  @Test
  void removedFilesAreFreedAfterIt() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(24 << 20, 1024)) {
      long file = rig.file(rig.root(), "large");
      for (int i = 0; i < 100; i++) {
        rig.tree.write(Ext2Rig.ROOT, file, (long) i * PIECE_BYTES, rig.memory, 0, PIECE_BYTES);
      }
      rig.tree.retain(file);
      long free = rig.tree.status().freeBlocks();
      FileTree.Group group = rig.tree.group();
      try (group) {
        FileTree.Group inner = rig.tree.group();
        try (inner) {
          rig.tree.unlink(Ext2Rig.ROOT, rig.root(), Ext2Rig.name("large"));
          rig.tree.release(file);
        }
        assertThat(rig.tree.status().freeBlocks()).isEqualTo(free);
      }
      assertThat(rig.tree.status().freeBlocks()).isGreaterThan(free + 100 * PIECE_BYTES / 1024 - 1);
      check(rig);
    }
  }
}
