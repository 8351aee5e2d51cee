package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.AttributeChange;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.SliceSink;
import sluice.fs.TreeStatus;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Tests behavior that random comparison with the kernel cannot cover: limits, times, open files
/// without a name, cookies, space.
@Timeout(120)
final class Ext2Test {
  private static final Caller ROOT = Caller.ROOT;
  private static final Caller USER = new Caller(1000, 1000);

  private static void assertErrno(int errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FsException.class, e -> assertThat(Errno.name(e.errno())).isEqualTo(Errno.name(errno)));
  }

  private static byte[] name(String text) {
    return Ext2Rig.name(text);
  }

  @ParameterizedTest
  @ValueSource(ints = {1024, 2048, 4096})
  void contentSurvivesARemountInEveryLevelOfPointers(int blockBytes) throws IOException {
    try (Ext2Rig rig = new Ext2Rig(32 << 20, blockBytes)) {
      long file = rig.file(rig.root(), "sparse");
      long pointers = blockBytes / 4;
      long[] blocks = {0, 11, 12, 12 + pointers, 12 + pointers + pointers * pointers};
      for (long block : blocks) {
        rig.write(file, block * blockBytes + 5, "at " + block);
      }
      rig.remount();
      for (long block : blocks) {
        assertThat(rig.read(file, block * blockBytes + 5, ("at " + block).length()))
            .isEqualTo("at " + block);
        assertThat(rig.read(file, block * blockBytes, 5)).isEqualTo("\0".repeat(5));
      }
      assertThat(rig.tree.seek(file, 13L * blockBytes, false))
          .isEqualTo((12 + pointers) * blockBytes);
      assertThat(rig.tree.seek(file, 0, true)).isEqualTo(blockBytes);
      long free = rig.tree.status().freeBlocks();
      rig.tree.setAttributes(ROOT, file, AttributeChange.NONE.withSize(0));
      assertThat(rig.tree.attributes(file).allocatedBytes()).isZero();
      // Five blocks of content, and one, two and three blocks of pointers.
      assertThat(rig.tree.status().freeBlocks()).isEqualTo(free + 5 + 1 + 2 + 3);
    }
  }

  @Test
  void aWriteFromMemoryThatCannotBeReadChangesNothing() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(16 << 20, 1024)) {
      long file = rig.file(rig.root(), "a");
      rig.write(file, 0, "a".repeat(1024));
      Block block = Blocks.of(1024);
      Memory gone = Memory.over(block, 0, 1024);
      gone.close();
      for (long position : new long[] {0, 1024}) {
        assertThatThrownBy(() -> rig.tree.write(ROOT, file, position, gone, 0, 1024))
            .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> rig.tree.write(ROOT, file, position, rig.memory, 1, 4 << 20))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      block.release();
      assertThat(rig.read(file, 0, 4096)).isEqualTo("a".repeat(1024));
      rig.write(file, 1024, "still writable");
    }
  }

  @Test
  void aFileWithoutANameLivesWhileItIsKept() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(16 << 20, 1024)) {
      long free = rig.tree.status().freeBlocks();
      long file = rig.file(rig.root(), "a");
      rig.write(file, 0, "still here");
      rig.tree.retain(file);
      rig.tree.unlink(ROOT, rig.root(), name("a"));
      assertThat(rig.read(file, 0, 100)).isEqualTo("still here");
      assertThat(rig.tree.attributes(file).links()).isZero();
      assertErrno(Errno.ENOENT, () -> rig.tree.link(ROOT, file, rig.root(), name("b")));
      rig.tree.release(file);
      assertErrno(Errno.ESTALE, () -> rig.tree.attributes(file));
      assertThat(rig.tree.status().freeBlocks()).isEqualTo(free);
      long second = rig.file(rig.root(), "a");
      rig.write(second, 0, "kept over a mount");
      rig.tree.retain(second);
      rig.tree.unlink(ROOT, rig.root(), name("a"));
      rig.remount();
      assertErrno(Errno.ESTALE, () -> rig.tree.attributes(second));
      assertThat(rig.tree.status().freeBlocks()).isEqualTo(free);
    }
  }

  @Test
  void spaceEndsExactlyAndComesBack() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(4 << 20, 1024)) {
      TreeStatus before = rig.tree.status();
      long users = rig.tree.create(ROOT, rig.root(), name("u"), NewFile.directory(0777));
      long file = rig.tree.create(USER, users, name("f"), NewFile.regular(0644));
      assertThat(fill(rig, USER, file)).isPositive();
      assertErrno(Errno.ENOSPC, () -> rig.tree.write(USER, file, 40L << 20, rig.memory, 0, 1024));
      assertThat(rig.tree.status().availableBlocks()).isZero();
      long roots = rig.file(rig.root(), "r");
      fill(rig, ROOT, roots);
      assertThat(rig.tree.status().freeBlocks()).isZero();
      assertErrno(Errno.ENOSPC, () -> rig.directory(rig.root(), "none"));
      rig.tree.unlink(ROOT, rig.root(), name("r"));
      rig.tree.unlink(ROOT, users, name("f"));
      rig.tree.rmdir(ROOT, rig.root(), name("u"));
      assertThat(rig.tree.status()).isEqualTo(before);
    }
  }

  /// Writes until there is no space.
  private static long fill(Ext2Rig rig, Caller caller, long file) throws IOException {
    long at = 0;
    while (true) {
      try {
        at += rig.tree.write(caller, file, at, rig.memory, 0, 100_000);
      } catch (FsException e) {
        assertThat(e.errno()).isEqualTo(Errno.ENOSPC);
        return at;
      }
    }
  }

  @Test
  void inodesEndExactly() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(1 << 20, 1024)) {
      long free = rig.tree.status().freeInodes();
      for (int i = 0; i < free; i++) {
        rig.file(rig.root(), "n" + i);
      }
      assertErrno(Errno.ENOSPC, () -> rig.file(rig.root(), "one more"));
      rig.tree.unlink(ROOT, rig.root(), name("n3"));
      rig.file(rig.root(), "one more");
      assertThat(rig.tree.status().freeInodes()).isZero();
    }
  }

  @Test
  void linksEndAtTheirLimit() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(64 << 20, 4096)) {
      long directory = rig.directory(rig.root(), "d");
      long file = rig.file(directory, "f");
      for (int i = 1; i < Namespace.MAX_LINKS; i++) {
        rig.tree.link(ROOT, file, directory, name("l" + i));
      }
      assertErrno(Errno.EMLINK, () -> rig.tree.link(ROOT, file, directory, name("more")));
      assertThat(rig.tree.attributes(file).links()).isEqualTo(Namespace.MAX_LINKS);
    }
  }

  @Test
  void whatIsThereAllTheTimeIsListedOnce() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(32 << 20, 1024)) {
      long directory = rig.directory(rig.root(), "d");
      Set<String> kept = new HashSet<>();
      for (int i = 0; i < 2000; i++) {
        rig.file(directory, "entry " + i);
        if (i % 3 == 0) {
          kept.add("entry " + i);
        }
      }
      List<String> seen = new ArrayList<>();
      long[] cookie = {0};
      boolean end = false;
      int round = 0;
      while (!end) {
        int[] left = {50};
        end =
            rig.tree.list(
                directory,
                cookie[0],
                (_, _, entry, next) -> {
                  if (left[0]-- == 0) {
                    return false;
                  }
                  cookie[0] = next;
                  seen.add(new String(entry, java.nio.charset.StandardCharsets.UTF_8));
                  return true;
                });
        for (int i = 0; i < 40; i++) {
          int number = (round * 40 + i) * 3 + 1;
          if (number < 2000) {
            rig.tree.unlink(ROOT, directory, name("entry " + number));
            rig.file(directory, "a new and longer name " + number);
          }
        }
        round++;
      }
      assertThat(seen).doesNotHaveDuplicates().containsAll(kept).contains(".", "..");
    }
  }

  @Test
  void aDirectoryOfManyNamesFindsThem() throws IOException {
    try (Ext2Rig rig =
        new Ext2Rig(
            128 << 20,
            4096,
            MountOptions.defaults().withCacheBytes(32 << 20).withIndexBytes(64 << 10))) {
      long directory = rig.directory(rig.root(), "d");
      long file = rig.file(directory, "f");
      int count = 20_000;
      for (int i = 0; i < count; i++) {
        rig.tree.link(ROOT, file, directory, name("name " + i));
        if (i % 2 == 1) {
          rig.tree.unlink(ROOT, directory, name("name " + (i - 1)));
        }
      }
      rig.remount();
      for (int i = 0; i < count; i++) {
        byte[] wanted = name("name " + i);
        if (i % 2 == 1) {
          assertThat(rig.tree.lookup(ROOT, directory, wanted)).isEqualTo(file);
          assertThat(rig.tree.tryLookup(ROOT, directory, wanted)).isEqualTo(file);
        } else {
          assertErrno(Errno.ENOENT, () -> rig.tree.lookup(ROOT, directory, wanted));
          assertThat(rig.tree.tryLookup(ROOT, directory, wanted)).isZero();
        }
      }
    }
  }

  @Test
  void timesHaveNanosecondsAndReachBeyond2038() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(16 << 20, 1024)) {
      long file = rig.file(rig.root(), "f");
      long far = 6_000_000_000L * 1_000_000_000L + 123_456_789L;
      long early = -1_000_000_000L * 1_000_000_000L + 5;
      AttributeChange change = AttributeChange.NONE.withAccess(far).withModify(early);
      rig.tree.setAttributes(ROOT, file, change);
      rig.remount();
      FileAttributes a = rig.tree.attributes(file);
      assertThat(a.accessNanos()).isEqualTo(far);
      assertThat(a.modifyNanos()).isEqualTo(early);
      assertThat(a.birthNanos()).isPositive().isLessThanOrEqualTo(a.changeNanos());
    }
  }

  @Test
  void attributesAreOneObjectUntilTheFileChanges() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(16 << 20, 1024)) {
      long file = rig.file(rig.root(), "f");
      FileAttributes first = rig.tree.attributes(file);
      assertThat(rig.tree.tryAttributes(file)).isSameAs(first);
      rig.write(file, 0, "x");
      FileAttributes second = rig.tree.attributes(file);
      assertThat(second.version()).isGreaterThan(first.version());
      rig.write(file, 0, "y");
      assertThat(rig.tree.attributes(file).version()).isGreaterThan(second.version());
    }
  }

  @Test
  void aReadIsNotedButIsNoChange() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(16 << 20, 1024)) {
      long file = rig.file(rig.root(), "f");
      rig.write(file, 0, "x");
      AttributeChange early = AttributeChange.NONE.withAccess(5_000_000_000L);
      long version = rig.tree.attributes(file).version();
      rig.tree.setAttributes(ROOT, file, early);
      FileAttributes before = rig.tree.attributes(file);
      assertThat(before.accessNanos()).isEqualTo(5_000_000_000L);
      assertThat(before.version()).isGreaterThan(version);
      assertThat(rig.read(file, 0, 1)).isEqualTo("x");
      FileAttributes after = rig.tree.attributes(file);
      assertThat(after.accessNanos()).isGreaterThan(before.accessNanos());
      assertThat(after.version()).isEqualTo(before.version());
    }
  }

  @Test
  void readingNowNeedsNoDevice() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(16 << 20, 1024)) {
      long file = rig.file(rig.root(), "f");
      rig.write(file, 3000, "x".repeat(5000));
      StringBuilder got = new StringBuilder();
      SliceSink sink =
          (block, offset, bytes) -> {
            byte[] copy = new byte[bytes];
            java.lang.foreign.MemorySegment.copy(
                block.segment(), java.lang.foreign.ValueLayout.JAVA_BYTE, offset, copy, 0, bytes);
            got.append(new String(copy, java.nio.charset.StandardCharsets.ISO_8859_1));
          };
      assertThat(rig.tree.tryRead(file, 0, 10_000, sink)).isEqualTo(8000);
      assertThat(got.toString()).isEqualTo("\0".repeat(3000) + "x".repeat(5000));
      assertThat(rig.tree.tryRead(file, 8000, 10, sink)).isZero();
      rig.remount();
      assertThat(rig.tree.tryRead(file, 0, 10, sink)).isEqualTo(FileTree.WOULD_BLOCK);
      assertThat(rig.tree.tryAttributes(file)).isNull();
    }
  }

  @Test
  void allocatedBlocksReadAsZerosAndHolesGiveThemBack() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(16 << 20, 1024)) {
      long file = rig.file(rig.root(), "f");
      rig.tree.allocate(ROOT, file, 0, 100, 50_000);
      FileAttributes a = rig.tree.attributes(file);
      assertThat(a.sizeBytes()).isEqualTo(50_100);
      assertThat(a.allocatedBytes()).isGreaterThanOrEqualTo(49 << 10);
      assertThat(rig.read(file, 40_000, 20)).isEqualTo("\0".repeat(20));
      rig.tree.allocate(ROOT, file, FileTree.KEEP_SIZE, 0, 50_100);
      assertThat(rig.tree.attributes(file).sizeBytes()).isEqualTo(50_100);
      // e2fsck would take blocks behind the end for a wrong length.
      assertErrno(
          Errno.EOPNOTSUPP, () -> rig.tree.allocate(ROOT, file, FileTree.KEEP_SIZE, 0, 100_000));
      int punch = FileTree.PUNCH_HOLE | FileTree.KEEP_SIZE;
      rig.tree.allocate(ROOT, file, punch, 0, 1 << 20);
      rig.tree.setAttributes(ROOT, file, AttributeChange.NONE.withSize(1));
      assertThat(rig.tree.attributes(file).allocatedBytes()).isZero();
      assertErrno(Errno.EOPNOTSUPP, () -> rig.tree.allocate(ROOT, file, FileTree.PUNCH_HOLE, 0, 1));
    }
  }

  @Test
  void theLongestFileEndsWhereItsPointersDo() throws IOException {
    try (Ext2Rig rig = new Ext2Rig(16 << 20, 1024)) {
      long file = rig.file(rig.root(), "f");
      long end = 1024L * (12 + 256 + 256 * 256 + 256 * 256 * 256);
      assertErrno(Errno.EFBIG, () -> rig.write(file, end, "x"));
      assertThat(rig.write(file, end - 1, "xyz")).isEqualTo(1);
      assertErrno(
          Errno.EFBIG,
          () -> rig.tree.setAttributes(ROOT, file, AttributeChange.NONE.withSize(end + 1)));
    }
  }

  @Test
  void nothingIsDoneAfterClosing() throws IOException {
    Ext2Rig rig = new Ext2Rig(16 << 20, 1024);
    rig.close();
    rig.tree.close();
    assertThatThrownBy(() -> rig.file(2, "f")).isInstanceOf(IllegalStateException.class);
  }
}
