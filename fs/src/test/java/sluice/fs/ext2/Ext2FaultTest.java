package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.AttributeChange;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.E2fsprogs;
import sluice.fs.Errnos;
import sluice.fs.FaultyDevice;
import sluice.fs.FsException;
import sluice.fs.Images;
import sluice.fs.JournalRig;
import sluice.fs.NewFile;
import sluice.fs.TreeStatus;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Disturbs each operation of a tree at each of its steps. First the first read of the device
/// fails, then the second, and so on until the operation succeeds. Likewise all writes and flushes
/// fail from some point on, and blocks and inodes run out. The reported errno is right; an
/// operation that is refused before it begins changes nothing; an operation that fails in the
/// middle makes the tree read-only; and no thread keeps a lease or a lock.
@Timeout(300)
final class Ext2FaultTest {
  private static final long BYTES = 4L << 20;

  private static final MountOptions SMALL =
      MountOptions.defaults().withCacheBytes(1 << 20).withInodes(64).withAccessTimes(false);

  @TempDir Path directory;
  private final TreeState.Reader reader = new TreeState.Reader();
  private final Block block = Blocks.of(1 << 20);
  private final Memory memory = Memory.over(block, 0, 1 << 20);

  /// True if the last tree under faults ended read-only.
  private boolean endedReadOnly;

  @AfterEach
  void close() {
    reader.close();
    memory.close();
    block.release();
  }

  private BlockDevice image(boolean journaled, int bytesPerInode) throws IOException {
    BlockDevice device = BlockDevices.memory(BYTES);
    FormatOptions format =
        FormatOptions.forDevice(BYTES)
            .withBytesPerInode(bytesPerInode)
            .withJournalBlocks(journaled ? 1024 : 0);
    Ext2Format.format(device, format, _ -> {});
    try (Ext2 tree = Ext2.mount(device, SMALL)) {
      FaultCase.prepare(tree, memory);
    }
    return device;
  }

  private TreeState state(BlockDevice image) throws IOException {
    try (Ext2 tree = Ext2.mount(image, SMALL)) {
      return reader.read(tree, null);
    }
  }

  /// Asserts that the image is whole: with a journal after a mount, without one after a repair.
  private void assertWhole(BlockDevice image, boolean journaled, String what)
      throws IOException, InterruptedException {
    if (journaled) {
      return;
    }
    E2fsprogs.require("e2fsck");
    Path file = directory.resolve("repaired.img");
    Images.save(image, file);
    E2fsprogs.Result repair = E2fsprogs.run("e2fsck", "-fy", file.toString());
    assertThat(repair.exit()).as(what + ": " + repair.output()).isLessThan(4);
    E2fsprogs.Result again = E2fsprogs.run("e2fsck", "-fn", file.toString());
    assertThat(again.exit()).as(what + ": " + again.output()).isZero();
  }

  /// Checks an image. Only a third of the images is checked by e2fsck, which takes ten times as
  /// long as our check.
  private void assertClean(BlockDevice image, int n, String what)
      throws IOException, InterruptedException {
    if (n % 3 == 0) {
      Images.assertClean(image, directory.resolve("clean.img"), what);
    } else {
      assertThat(Images.problems(image)).as(what).isEmpty();
    }
  }

  private void assertSameAs(TreeState before, Ext2 tree, String what) throws IOException {
    TreeState now = reader.read(tree, before);
    assertThat(now.sameMetadata(before)).as(what + ": " + now.difference(before)).isTrue();
  }

  // ---- reads ------------------------------------------------------------------------------------

  static Stream<Object[]> casesOnBoth() {
    return Stream.of(FaultCase.values())
        .flatMap(c -> Stream.of(new Object[] {c, true}, new Object[] {c, false}));
  }

  @ParameterizedTest
  @MethodSource("casesOnBoth")
  void eachReadFailsOnce(FaultCase operation, boolean journaled) throws Exception {
    try (BlockDevice prepared = image(journaled, 4096)) {
      TreeState before = state(prepared);
      boolean reached = true;
      int n = 0;
      for (; reached; n++) {
        try (BlockDevice image = JournalRig.copy(prepared)) {
          String what = operation + ", read " + n;
          reached = readFails(operation, image, n, before, what);
          if (journaled) {
            TreeState found = state(image);
            if (endedReadOnly && !operation.inParts()) {
              assertThat(found.sameMetadata(before)).as(found.difference(before)).isTrue();
            }
            assertClean(image, n, what);
          }
          assertWhole(image, journaled, what);
        }
      }
      assertThat(n).as("reads of " + operation).isBetween(2, 60);
    }
  }

  private boolean readFails(
      FaultCase operation, BlockDevice image, int n, TreeState before, String what)
      throws IOException {
    boolean failed;
    try (FaultRig rig = new FaultRig(image)) {
      TreeStatus status = rig.tree.status();
      AtomicInteger left = new AtomicInteger(n);
      rig.device.readFails = _ -> left.getAndDecrement() == 0;
      int errno = Errnos.of(() -> operation.run(rig.tree, rig.memory));
      failed = rig.device.failed.get() > 0;
      rig.device.heal();
      endedReadOnly = rig.readOnly();
      if (!failed || errno == 0) {
        assertThat(errno).as(what).isZero(); // read-ahead may fail silently
        rig.tree.sync();
      } else {
        assertThat(errno).as(what).isEqualTo(Errno.EIO);
        if (!endedReadOnly && !operation.inParts()) {
          assertThat(rig.tree.status()).as(what).isEqualTo(status);
        }
        goOn(rig, operation, before, what);
      }
    }
    return failed;
  }

  /// Continues after an operation was refused because of a fault that is over.
  private void goOn(FaultRig rig, FaultCase operation, TreeState before, String what)
      throws IOException {
    if (rig.readOnly()) {
      assertRefusesChanges(rig, what);
      reader.read(rig.tree, before); // without waiting for anything
    } else if (!operation.inParts()) {
      assertSameAs(before, rig.tree, what);
      assertThat(Errnos.of(() -> operation.run(rig.tree, rig.memory))).as(what).isZero();
      rig.tree.sync();
    }
  }

  private static void assertRefusesChanges(FaultRig rig, String what) {
    NewFile file = NewFile.regular(0600);
    int errno = Errnos.of(() -> rig.tree.create(Caller.ROOT, 2, FaultCase.name("probe"), file));
    assertThat(errno).as(what).isEqualTo(Errno.EROFS);
  }

  // ---- writes and flushes -----------------------------------------------------------------------

  @ParameterizedTest
  @MethodSource("casesOnBoth")
  void fromEachWriteAndFlushOnAllFail(FaultCase operation, boolean journaled) throws Exception {
    try (BlockDevice prepared = image(journaled, 4096)) {
      TreeState before = state(prepared);
      boolean reached = true;
      int n = 0;
      for (; reached; n++) {
        try (BlockDevice image = JournalRig.copy(prepared)) {
          reached = writeFails(operation, image, n, before, journaled);
        }
      }
      assertThat(n).as("writes of " + operation).isBetween(3, 200);
    }
  }

  private boolean writeFails(
      FaultCase operation, BlockDevice image, int n, TreeState before, boolean journaled)
      throws Exception {
    String what = operation + ", write or flush " + n;
    boolean failed;
    TreeState after;
    try (FaultRig rig = new FaultRig(image)) {
      AtomicInteger left = new AtomicInteger(n);
      rig.device.torn = new Random(n);
      rig.device.writeFails = _ -> left.getAndDecrement() <= 0;
      rig.device.flushFails = () -> left.getAndDecrement() <= 0;
      int errno = Errnos.of(() -> operation.run(rig.tree, rig.memory));
      assertThat(errno).as(what).isZero();
      after = reader.read(rig.tree, before);
      int told = Errnos.of(() -> rig.tree.sync());
      failed = rig.device.failed.get() > 0;
      assertThat(told).as(what).isEqualTo(failed ? Errno.EIO : 0);
      rig.device.heal();
      if (failed && journaled) {
        assertThat(rig.readOnly()).as(what).isTrue();
        assertRefusesChanges(rig, what);
        assertThat(Errnos.of(() -> rig.tree.sync())).as(what).isEqualTo(Errno.EIO);
      } else {
        rig.tree.sync();
      }
    }
    TreeState found = state(image);
    boolean known = found.sameMetadata(after) || (failed && found.sameMetadata(before));
    if (!operation.inParts() || !failed || !journaled) {
      assertThat(known).as(what + ": " + found.difference(after)).isTrue();
    }
    assertClean(image, n, what);
    return failed;
  }

  // ---- mount and close --------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void fromEachTransferOfAMountOnAllFail(boolean journaled) throws Exception {
    try (BlockDevice prepared = crashed(journaled)) {
      TreeState before = state(JournalRig.copy(prepared));
      boolean reached = true;
      int n = 0;
      for (; reached; n++) {
        try (BlockDevice image = JournalRig.copy(prepared)) {
          String what = "mount, transfer " + n;
          FaultyDevice faulty = new FaultyDevice(image);
          fail(faulty, n);
          int errno = Errnos.of(() -> Ext2.mount(faulty, SMALL).close());
          reached = faulty.failed.get() > 0;
          assertThat(errno).as(what).isEqualTo(reached ? Errno.EIO : 0);
          faulty.heal();
          if (journaled) {
            TreeState found = state(image);
            assertThat(found.sameMetadata(before)).as(found.difference(before)).isTrue();
            assertClean(image, n, what);
          }
          assertWhole(image, journaled, what);
        }
      }
      assertThat(n).isBetween(5, 400);
    }
  }

  /// Returns an image with a log to replay, and with files without a name.
  private BlockDevice crashed(boolean journaled) throws IOException {
    try (BlockDevice image = image(journaled, 4096);
        Ext2 tree = Ext2.mount(image, SMALL)) {
      long inode = FaultCase.find(tree, "f");
      tree.retain(inode);
      tree.unlink(Caller.ROOT, 2, FaultCase.name("f"));
      tree.sync();
      BlockDevice copy = JournalRig.copy(image);
      tree.release(inode);
      return copy;
    }
  }

  private static void fail(FaultyDevice device, int n) {
    AtomicInteger left = new AtomicInteger(n);
    device.torn = new Random(n);
    device.readFails = _ -> left.getAndDecrement() <= 0;
    device.writeFails = device.readFails;
    device.flushFails = () -> left.getAndDecrement() <= 0;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void fromEachTransferOfAnEndOnAllFail(boolean journaled) throws Exception {
    try (BlockDevice prepared = image(journaled, 4096)) {
      boolean reached = true;
      int n = 0;
      for (; reached; n++) {
        try (BlockDevice image = JournalRig.copy(prepared)) {
          String what = "end, transfer " + n;
          TreeState synced;
          FaultRig rig = new FaultRig(image);
          try (rig) {
            FaultCase.EXTEND.run(rig.tree, rig.memory);
            rig.tree.sync();
            FaultCase.CREATE.run(rig.tree, rig.memory);
            synced = reader.read(rig.tree, null);
            fail(rig.device, n);
          }
          reached = rig.device.failed.get() > 0;
          if (!reached) {
            assertThat(rig.closeErrno()).isZero();
          }
          if (rig.closeErrno() == 0 || journaled) {
            TreeState found = state(image);
            assertThat(found.entries()).as(what).containsKey("/g");
            if (rig.closeErrno() == 0) {
              assertThat(found.sameMetadata(synced)).as(what).isTrue();
            }
            assertClean(image, n, what);
          }
          assertWhole(image, journaled, what);
        }
      }
      assertThat(n).isBetween(5, 200);
    }
  }

  // ---- no space and no inodes -------------------------------------------------------------------

  /// Writes a file that takes all blocks, including root's reserve, and returns its size.
  private static long takeAllBlocks(Ext2 tree, Memory memory) throws IOException {
    long filler = tree.create(Caller.ROOT, 2, FaultCase.name("filler"), NewFile.regular(0600));
    long size = 0;
    while (true) {
      try {
        size += tree.write(Caller.ROOT, filler, size, memory, 0, 200_000);
      } catch (FsException full) {
        assertThat(full.errno()).isEqualTo(Errno.ENOSPC);
        return size;
      }
    }
  }

  @ParameterizedTest
  @MethodSource("casesOnBoth")
  void blocksRunOutAtEachStep(FaultCase operation, boolean journaled) throws Exception {
    try (BlockDevice prepared = image(journaled, 4096)) {
      long size;
      try (Ext2 tree = Ext2.mount(prepared, SMALL)) {
        size = takeAllBlocks(tree, memory);
      }
      int errno = Errno.ENOSPC;
      for (int free = 0; errno != 0; free++) {
        try (BlockDevice image = JournalRig.copy(prepared)) {
          long left = size - free * 1024L;
          String what = operation + " with " + free + " blocks";
          errno = withLittle(operation, image, left, what);
          assertClean(image, free, what);
        }
        assertThat(free).as(operation + " needs too many blocks").isLessThan(60);
      }
    }
  }

  private int withLittle(FaultCase operation, BlockDevice image, long fillerBytes, String what)
      throws IOException {
    try (FaultRig rig = new FaultRig(image)) {
      long filler = FaultCase.find(rig.tree, "filler");
      rig.tree.setAttributes(Caller.ROOT, filler, AttributeChange.NONE.withSize(fillerBytes));
      rig.tree.sync();
      TreeState before = reader.read(rig.tree, null);
      int errno = Errnos.of(() -> operation.run(rig.tree, rig.memory));
      assertThat(rig.readOnly()).as(what).isFalse();
      if (errno != 0) {
        assertThat(errno).as(what).isEqualTo(Errno.ENOSPC);
        if (!operation.inParts() && operation != FaultCase.ALLOCATE) {
          assertSameAs(before, rig.tree, what);
        }
      }
      return errno;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CREATE", "MKDIR", "SYMLINK", "LONG_NAME_IN_A_FULL_BLOCK"})
  void inodesRunOut(FaultCase operation) throws Exception {
    for (boolean journaled : new boolean[] {true, false}) {
      try (BlockDevice image = image(journaled, 64 << 10)) {
        try (FaultRig rig = new FaultRig(image)) {
          int made = 0;
          int errno = 0;
          for (; errno == 0; made++) {
            byte[] name = FaultCase.name("i" + made);
            errno = Errnos.of(() -> rig.tree.create(Caller.ROOT, 2, name, NewFile.regular(0600)));
          }
          assertThat(errno).isEqualTo(Errno.ENOSPC);
          assertThat(rig.tree.status().freeInodes()).isZero();
          TreeState before = reader.read(rig.tree, null);
          assertThat(Errnos.of(() -> operation.run(rig.tree, rig.memory))).isEqualTo(Errno.ENOSPC);
          assertSameAs(before, rig.tree, operation.toString());
          rig.tree.unlink(Caller.ROOT, 2, FaultCase.name("i0"));
          operation.run(rig.tree, rig.memory);
        }
        Images.assertClean(image, directory.resolve("clean.img"), operation.toString());
      }
    }
  }
}
