package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Tests that a program loses its set-id bits and capabilities when its content or owner changes,
/// whichever operation makes the change.
@Timeout(120)
final class FileCapabilitiesTest {
  private static final byte[] CAPABILITY = bytes("security.capability");
  private static final Caller OTHER = new Caller(1000, 1000);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// A change by a caller.
  private interface Change {
    void apply(FileTree tree, Caller caller, long inode) throws IOException;
  }

  private static void write(FileTree tree, Caller caller, long inode) throws IOException {
    Block block = Objects.requireNonNull(Block.allocate(new Account("test", 4096), 4096));
    try (Memory memory = Memory.over(block, 0, 4096)) {
      assertThat(tree.write(caller, inode, 0, memory, 0, 100)).isEqualTo(100);
    } finally {
      block.release();
    }
  }

  private static final List<Change> CONTENT =
      List.of(
          FileCapabilitiesTest::write,
          (tree, caller, inode) ->
              tree.setAttributes(caller, inode, AttributeChange.NONE.withSize(10)),
          (tree, caller, inode) -> tree.allocate(caller, inode, 0, 0, 100_000),
          (tree, caller, inode) -> tree.allocate(caller, inode, FileTree.KEEP_SIZE, 0, 1024),
          (tree, caller, inode) ->
              tree.allocate(caller, inode, FileTree.KEEP_SIZE | FileTree.PUNCH_HOLE, 0, 8192));

  private static long program(FileTree tree, String name, boolean large) throws IOException {
    NewFile what = NewFile.regular(0xDFF); // 06777
    long inode = tree.create(Caller.ROOT, tree.rootInode(), bytes(name), what);
    write(tree, Caller.ROOT, inode);
    // fills the inode, so that further attributes go to a block
    byte[] rest = new byte[large ? 300 : 1];
    tree.setExtendedAttribute(Caller.ROOT, inode, bytes("user.rest"), rest, 0);
    tree.setExtendedAttribute(Caller.ROOT, inode, CAPABILITY, new byte[20], 0);
    return inode;
  }

  private static boolean isCapable(FileTree tree, long inode) throws IOException {
    String names = new String(tree.extendedAttributes(Caller.ROOT, inode), StandardCharsets.UTF_8);
    return names.contains("security.capability");
  }

  @Test
  void everyChangeOfContentEndsThem() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 1024)) {
      for (boolean large : new boolean[] {false, true}) {
        for (int i = 0; i < CONTENT.size(); i++) {
          for (Caller caller : List.of(Caller.ROOT, OTHER)) {
            long inode = program(rig.tree, i + "-" + caller.uid() + large, large);
            assertThat(isCapable(rig.tree, inode)).isTrue();
            CONTENT.get(i).apply(rig.tree, caller, inode);
            assertThat(isCapable(rig.tree, inode)).as("way %d by %s", i, caller).isFalse();
            int left = rig.tree.attributes(inode).permissions() & 0xC00;
            assertThat(left).as("way %d by %s", i, caller).isEqualTo(caller == OTHER ? 0 : 0xC00);
            assertThat(rig.tree.extendedAttribute(Caller.ROOT, inode, bytes("user.rest")))
                .isNotEmpty();
          }
        }
      }
    }
  }

  @Test
  void aChangeOfOwnerEndsThem() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 1024)) {
      long inode = program(rig.tree, "a", false);
      rig.tree.setAttributes(Caller.ROOT, inode, AttributeChange.NONE.withOwner(7));
      assertThat(isCapable(rig.tree, inode)).isFalse();
      assertThat(rig.tree.attributes(inode).permissions()).isEqualTo(0x1FF);
    }
  }

  /// Checks that a program loses its capabilities at the next write each time it has got new ones,
  /// although earlier checks are cached.
  @Test
  void theyGoAgainAndAgain() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 1024)) {
      long inode = program(rig.tree, "a", false);
      for (int i = 0; i < 3; i++) {
        write(rig.tree, OTHER, inode);
        write(rig.tree, OTHER, inode);
        assertThat(isCapable(rig.tree, inode)).isFalse();
        rig.tree.setExtendedAttribute(Caller.ROOT, inode, CAPABILITY, new byte[20], 0);
      }
    }
  }

  @Test
  void whatIsRefusedOrChangesNothingLeavesThem() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 1024)) {
      long inode = program(rig.tree, "a", false);
      AttributeChange closed = AttributeChange.NONE.withMode(0x9C0); // 04700
      rig.tree.setAttributes(Caller.ROOT, inode, closed);
      assertThatThrownBy(
              () -> rig.tree.setAttributes(OTHER, inode, AttributeChange.NONE.withSize(1)))
          .isInstanceOf(FsException.class);
      assertThatThrownBy(
              () -> rig.tree.setAttributes(OTHER, inode, AttributeChange.NONE.withOwner(1000)))
          .isInstanceOf(FsException.class);
      rig.tree.setAttributes(
          Caller.ROOT, inode, AttributeChange.NONE.withModify(AttributeChange.NOW));
      assertThat(isCapable(rig.tree, inode)).isTrue();
      assertThat(rig.tree.attributes(inode).permissions()).isEqualTo(0x9C0);
    }
  }

  /// Checks the set-group-id bit of a file that is not executable: a caller outside of the file's
  /// group removes it, a member does not.
  @Test
  void setGroupIdWithoutExecutionStaysForMembers() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 1024)) {
      Caller member = new Caller(1000, 1000, 5, 77);
      for (Caller caller : List.of(member, OTHER)) {
        long inode =
            rig.tree.create(
                Caller.ROOT, rig.tree.rootInode(), bytes("" + caller), NewFile.regular(0));
        AttributeChange change = AttributeChange.NONE.withGroup(77).withMode(0x5F7); // 02767
        rig.tree.setAttributes(Caller.ROOT, inode, change);
        write(rig.tree, caller, inode);
        int expected = caller == member ? 0x5F7 : 0x1F7;
        assertThat(rig.tree.attributes(inode).permissions()).isEqualTo(expected);
      }
    }
  }
}
