package sluice.nfs.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.sys.ThreadCredentials;

/// Tests a host directory through [HostTree], and compares it with the view of `java.nio.file`.
@Timeout(120)
final class HostTreeTest {
  private static final Caller ROOT = Caller.ROOT;
  private static final Caller USER = new Caller(1234, 1235, 77);
  private static final Caller OTHER = new Caller(4321, 4321);

  @TempDir Path directory;
  private HostTree tree;
  private long root;

  @BeforeEach
  void open() throws IOException {
    assumeTrue(
        "root".equals(System.getProperty("user.name")),
        "needs root: files are opened by handle, with the ids of callers");
    Files.setPosixFilePermissions(
        directory, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
    tree = HostTree.open(directory, false);
    root = tree.rootInode();
  }

  @AfterEach
  void close() throws IOException {
    if (tree != null) {
      tree.close();
    }
  }

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void assertErrno(int errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FsException.class, e -> assertThat(Errno.name(e.errno())).isEqualTo(Errno.name(errno)));
  }

  private long file(String text) throws IOException {
    return tree.create(ROOT, root, name(text), NewFile.regular(0644));
  }

  private static Block block(int bytes) {
    return Objects.requireNonNull(Block.allocate(new Account("test", 1 << 20), bytes));
  }

  private int write(Caller caller, long inode, long position, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Block block = block(bytes.length);
    try (Memory memory = Memory.over(block, 0, bytes.length)) {
      memory.copyFrom(bytes, 0, 0, bytes.length);
      return tree.write(caller, inode, position, memory, 0, bytes.length);
    } finally {
      block.release();
    }
  }

  private String read(long inode, long position, int count) throws IOException {
    Block block = block(count);
    try (Memory memory = Memory.over(block, 0, count)) {
      int n = tree.read(inode, position, memory, 0, count);
      byte[] bytes = new byte[n];
      memory.copyTo(0, bytes, 0, n);
      return new String(bytes, StandardCharsets.UTF_8);
    } finally {
      block.release();
    }
  }

  @Test
  void namesAreBytes() throws IOException {
    byte[] one = {'n', (byte) 0xE4};
    byte[] two = {'n', (byte) 0xFF, 1, '\n'};
    long made = tree.create(ROOT, root, one, NewFile.regular(0644));
    assertThat(tree.readLink(tree.create(ROOT, root, two, NewFile.symlink(one)))).isEqualTo(one);
    assertThat(tree.lookup(ROOT, root, one)).isEqualTo(made);
    List<byte[]> names = new ArrayList<>();
    tree.list(root, 0, (_, _, name, _) -> names.add(name));
    assertThat(names).contains(one, two);
    try (var listed = Files.list(directory)) {
      assertThat(listed.map(path -> path.toUri().getRawPath().replaceAll(".*/", "")))
          .containsExactlyInAnyOrder("n%E4", "n%FF%01%0A");
    }
    tree.unlink(ROOT, root, two);
    assertErrno(Errno.ENOENT, () -> tree.lookup(ROOT, root, two));
  }

  @Test
  void contentAndAttributesAreTheKernels() throws IOException {
    long inode = file("a");
    assertThat(write(ROOT, inode, 3, "hello")).isEqualTo(5);
    assertThat(Files.readAllBytes(directory.resolve("a"))).isEqualTo(name("\0\0\0hello"));
    assertThat(read(inode, 3, 100)).isEqualTo("hello");
    assertThat(read(inode, 8, 100)).isEmpty();
    FileAttributes now = tree.attributes(inode);
    Path path = directory.resolve("a");
    assertThat(now.inode()).isEqualTo((long) Files.getAttribute(path, "unix:ino"));
    assertThat(now.mode()).isEqualTo((int) Files.getAttribute(path, "unix:mode"));
    assertThat(now.sizeBytes()).isEqualTo(8);
    assertThat(now.kind()).isEqualTo(FileKind.REGULAR);
    long modified = Files.getLastModifiedTime(path).to(java.util.concurrent.TimeUnit.NANOSECONDS);
    assertThat(now.modifyNanos()).isEqualTo(modified);
    assertThat(tree.status().blocks()).isPositive();
  }

  @Test
  void everyKindIsMadeAsAsked() throws IOException {
    tree.create(ROOT, root, name("dir"), NewFile.directory(0777));
    tree.create(ROOT, root, name("link"), NewFile.symlink(name("to/nowhere")));
    tree.create(ROOT, root, name("pipe"), NewFile.device(FileKind.FIFO, 0622, 0, 0));
    long device =
        tree.create(
            ROOT, root, name("null"), NewFile.device(FileKind.CHARACTER_DEVICE, 0600, 1, 300));
    assertThat(tree.attributes(device).deviceMajor()).isEqualTo(1);
    assertThat(tree.attributes(device).deviceMinor()).isEqualTo(300);
    assertThat((int) Files.getAttribute(directory.resolve("dir"), "unix:mode") & 0xFFF)
        .as("no mask of the process in the way")
        .isEqualTo(0777);
    assertThat(Files.readSymbolicLink(directory.resolve("link"))).hasToString("to/nowhere");
    assertThat(tree.readLink(tree.lookup(ROOT, root, name("link")))).isEqualTo(name("to/nowhere"));
    assertErrno(Errno.EINVAL, () -> read(device, 0, 1));
    assertErrno(Errno.EINVAL, () -> read(tree.lookup(ROOT, root, name("pipe")), 0, 1));
    assertErrno(Errno.EISDIR, () -> read(root, 0, 1));
    assertErrno(Errno.EINVAL, () -> tree.readLink(root));
    tree.setAttributes(ROOT, device, AttributeChange.NONE.withMode(0640));
    tree.sync(device, false);
    tree.awaitStable(tree.stablePoint());
  }

  @Test
  void permissionsAreTheCallersAndTheThreadKeepsItsOwn() throws IOException {
    int[] groups = ThreadCredentials.groups();
    long home = tree.create(ROOT, root, name("home"), NewFile.directory(0755));
    tree.setAttributes(ROOT, home, AttributeChange.NONE.withOwner(1234).withGroup(1235));
    long mine = tree.create(USER, home, name("mine"), NewFile.regular(0600));
    assertThat(tree.attributes(mine).uid()).isEqualTo(1234);
    assertThat(tree.attributes(mine).gid()).isEqualTo(1235);
    assertErrno(Errno.EACCES, () -> tree.create(OTHER, home, name("x"), NewFile.regular(0600)));
    assertErrno(Errno.EACCES, () -> tree.unlink(OTHER, home, name("mine")));
    assertErrno(
        Errno.EPERM, () -> tree.setAttributes(OTHER, mine, AttributeChange.NONE.withMode(0777)));
    assertThat(tree.access(USER, mine, 7)).isEqualTo(FileTree.READ | FileTree.WRITE);
    assertThat(tree.access(OTHER, mine, 7)).isZero();
    assertThat(tree.access(ROOT, mine, 7)).isEqualTo(FileTree.READ | FileTree.WRITE);
    tree.setAttributes(ROOT, mine, AttributeChange.NONE.withGroup(77).withMode(0640));
    assertThat(tree.access(USER, mine, 4)).isEqualTo(FileTree.READ);
    assertThat(tree.access(new Caller(1, 1, 77), mine, 6)).isEqualTo(FileTree.READ);
    assertErrno(
        Errno.EACCES, () -> tree.setAttributes(OTHER, mine, AttributeChange.NONE.withSize(0)));
    assertThat(ThreadCredentials.groups()).isEqualTo(groups);
    Path after = directory.resolve("as-before");
    Files.createFile(after);
    assertThat(Files.getAttribute(after, "unix:uid")).isEqualTo(0);
  }

  @Test
  void aWriterThatIsNotRootLosesSetUserId() throws IOException {
    long inode = file("tool");
    tree.setAttributes(ROOT, inode, AttributeChange.NONE.withMode(04755));
    write(USER, inode, 0, "changed");
    assertThat(tree.attributes(inode).permissions()).isEqualTo(0755);
  }

  @Test
  void namesAreAddedMovedAndRemoved() throws IOException {
    long inode = file("a");
    tree.link(ROOT, inode, root, name("b"));
    assertThat(tree.attributes(inode).links()).isEqualTo(2);
    long dir = tree.create(ROOT, root, name("d"), NewFile.directory(0755));
    tree.rename(ROOT, root, name("b"), dir, name("c"), 0);
    assertThat(tree.lookup(ROOT, dir, name("c"))).isEqualTo(inode);
    assertErrno(
        Errno.EEXIST,
        () -> tree.rename(ROOT, root, name("a"), root, name("d"), FileTree.NO_REPLACE));
    assertErrno(Errno.ENOTEMPTY, () -> tree.rmdir(ROOT, root, name("d")));
    assertErrno(Errno.EISDIR, () -> tree.unlink(ROOT, root, name("d")));
    assertErrno(Errno.ENOENT, () -> tree.lookup(ROOT, root, name("b")));
    long link = tree.create(ROOT, root, name("l"), NewFile.symlink(name("a")));
    tree.link(ROOT, link, root, name("l2"));
    assertThat(Files.readSymbolicLink(directory.resolve("l2"))).hasToString("a");
    tree.unlink(ROOT, dir, name("c"));
    tree.rmdir(ROOT, root, name("d"));
    assertThat(Files.exists(directory.resolve("d"))).isFalse();
  }

  @Test
  void aFileWithoutANameLivesWhileItIsKeptAndNoLonger() throws IOException {
    long inode = file("a");
    write(ROOT, inode, 0, "still here");
    tree.retain(inode);
    tree.unlink(ROOT, root, name("a"));
    assertThat(read(inode, 0, 100)).isEqualTo("still here");
    tree.release(inode);
    assertErrno(Errno.ESTALE, () -> tree.attributes(inode));
    long second = file("b");
    read(second, 0, 1); // opens a descriptor that must not keep the file
    tree.unlink(ROOT, root, name("b"));
    assertErrno(Errno.ESTALE, () -> tree.attributes(second));
  }

  @Test
  void locatorsSurviveARestartAndARename() throws IOException {
    long inode = file("a");
    write(ROOT, inode, 0, "found again");
    byte[] locator = tree.locator(inode);
    assertThat(locator.length).isLessThanOrEqualTo(24);
    long gone = file("gone");
    byte[] goneLocator = tree.locator(gone);
    tree.unlink(ROOT, root, name("gone"));
    tree.close();
    Files.move(directory.resolve("a"), directory.resolve("elsewhere"));
    open();
    assertErrno(Errno.ESTALE, () -> tree.attributes(inode));
    tree.recall(inode, locator);
    assertThat(read(inode, 0, 100)).isEqualTo("found again");
    assertErrno(Errno.ESTALE, () -> tree.recall(gone, goneLocator));
    assertErrno(Errno.ESTALE, () -> tree.recall(inode + 1, locator));
    for (int length = 0; length < 60; length += 7) {
      byte[] hostile = new byte[length];
      java.util.Arrays.fill(hostile, (byte) 0xFF);
      assertErrno(Errno.ESTALE, () -> tree.recall(7, hostile));
    }
  }

  @Test
  void nobodyLeavesTheDirectory() throws IOException {
    assertThat(tree.lookup(ROOT, root, name(".."))).isEqualTo(root);
    assertThat(tree.lookup(ROOT, root, name("."))).isEqualTo(root);
    assertErrno(Errno.EINVAL, () -> tree.lookup(ROOT, root, name("../etc")));
    Files.createSymbolicLink(directory.resolve("out"), Path.of("/etc"));
    long link = tree.lookup(ROOT, root, name("out"));
    assertThat(tree.attributes(link).kind()).isEqualTo(FileKind.SYMLINK);
    assertErrno(Errno.ENOTDIR, () -> tree.lookup(ROOT, link, name("passwd")));
    try (HostTree all = HostTree.open(Path.of("/"), true)) {
      assertErrno(Errno.EXDEV, () -> all.lookup(ROOT, all.rootInode(), name("proc")));
      assertErrno(
          Errno.EROFS, () -> all.create(ROOT, all.rootInode(), name("never"), NewFile.regular(0)));
    }
  }

  @Test
  void listingGoesOnWhereItStopped() throws IOException {
    Set<String> expected = new HashSet<>(Set.of(".", ".."));
    for (int i = 0; i < 700; i++) {
      Files.createFile(directory.resolve("name-" + i));
      expected.add("name-" + i);
    }
    List<String> seen = new ArrayList<>();
    long[] cookie = {0};
    boolean end = false;
    while (!end) {
      int[] room = {13};
      end =
          tree.list(
              root,
              cookie[0],
              (inode, kind, name, next) -> {
                if (room[0]-- == 0) {
                  return false;
                }
                seen.add(new String(name, StandardCharsets.UTF_8));
                cookie[0] = next;
                return true;
              });
    }
    assertThat(seen).doesNotHaveDuplicates();
    assertThat(new HashSet<>(seen)).isEqualTo(expected);
  }

  @Test
  void timesAttributesAndSizesAreSet() throws IOException {
    long inode = file("a");
    write(ROOT, inode, 0, "0123456789");
    AttributeChange change = AttributeChange.NONE.withSize(4).withMode(0600);
    tree.setAttributes(ROOT, inode, change.withAccess(-1).withModify(1_234_567_890_123_456_789L));
    FileAttributes now = tree.attributes(inode);
    assertThat(now.sizeBytes()).isEqualTo(4);
    assertThat(now.accessNanos()).isEqualTo(-1);
    assertThat(now.modifyNanos()).isEqualTo(1_234_567_890_123_456_789L);
    tree.setAttributes(ROOT, inode, AttributeChange.NONE.withModify(AttributeChange.NOW));
    assertThat(tree.attributes(inode).accessNanos()).isEqualTo(-1);
    assertThat(tree.attributes(inode).modifyNanos()).isNotEqualTo(now.modifyNanos());
    tree.setExtendedAttribute(ROOT, inode, name("user.colour"), name("blue"), 0);
    assertThat(tree.extendedAttribute(ROOT, inode, name("user.colour"))).isEqualTo(name("blue"));
    assertThat(new String(tree.extendedAttributes(ROOT, inode), StandardCharsets.UTF_8))
        .contains("user.colour\0");
    tree.removeExtendedAttribute(ROOT, inode, name("user.colour"));
    assertErrno(Errno.ENODATA, () -> tree.extendedAttribute(ROOT, inode, name("user.colour")));
    tree.allocate(ROOT, inode, 0, 0, 10_000);
    assertThat(tree.attributes(inode).sizeBytes()).isEqualTo(10_000);
  }

  @Test
  void changesOfSeveralThreadsBecomeStableTogether() throws Exception {
    for (int i = 0; i < 5; i++) {
      file("before-" + i);
    }
    long point = tree.stablePoint();
    tree.awaitStable(point);
    tree.awaitStable(point);
    assertThat(tree.syncRounds()).isEqualTo(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Long>> made = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        byte[] name = name("f" + i);
        made.add(
            threads.submit(() -> {
              long inode = tree.create(USER_ROOT, root, name, NewFile.regular(0644));
              tree.awaitStable(tree.stablePoint());
              return inode;
            }));
      }
      Set<Long> inodes = new HashSet<>();
      for (Future<Long> one : made) {
        inodes.add(one.get());
      }
      assertThat(inodes).hasSize(64);
    }
    assertThat(Files.exists(directory.resolve("f63"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThat(tree.atomicGroups()).isFalse();
  }

  private static final Caller USER_ROOT = new Caller(0, 0, 5);

  /// The part of a handle behind the inode number comes from the kernel: changed bytes there find
  /// the same file or none.
  @Test
  void changedLocatorsFindNoOtherFile() throws IOException {
    for (int i = 0; i < 40; i++) {
      file("near-" + i);
    }
    long inode = file("target");
    FileAttributes before = tree.attributes(inode);
    byte[] locator = tree.locator(inode);
    for (int bit = 0; bit < 8 * locator.length; bit++) {
      byte[] changed = locator.clone();
      changed[bit >> 3] ^= (byte) (1 << (bit & 7));
      recallAny(inode, changed);
      assertThat(tree.attributes(inode)).isEqualTo(before);
    }
    for (int length = 0; length <= 24; length++) {
      if (length != locator.length) {
        recallAny(inode, Arrays.copyOf(locator, length));
      }
    }
    assertThat(tree.attributes(inode)).isEqualTo(before);
    assertThat(tree.find(ROOT, root, name("target"))).isEqualTo(before);
  }

  private void recallAny(long inode, byte[] locator) {
    try {
      tree.recall(inode, locator); // the kernel ignores this bit
    } catch (IOException e) {
      assertThat(e).isInstanceOf(FsException.class);
    }
  }

  @Test
  void whatIsKeptOpenIsBounded() throws IOException {
    for (int i = 0; i < 1500; i++) {
      read(file("many-" + i), 0, 1);
    }
    try (var open = Files.list(Path.of("/proc/self/fd"))) {
      assertThat(open.count()).isLessThan(1024 + 300);
    }
  }

  /// A `long` of nanoseconds ends in 2262; a file from 2400 must not appear to be from 1815.
  @Test
  void timesThatAreTooFarAwayAreTheNearestThatCanBeTold() throws Exception {
    Path file = Files.createFile(directory.resolve("late"));
    Process touch =
        new ProcessBuilder("touch", "-d", "2400-01-01T00:00:00Z", file.toString()).start();
    assertThat(touch.waitFor()).isZero();
    long modified = tree.find(ROOT, root, name("late")).modifyNanos();
    assertThat(Math.floorDiv(modified, 1_000_000_000L))
        .isBetween(Long.MAX_VALUE / 1_000_000_000L - 1, 13_569_465_600L);
    assertThat(HostTree.nanos(Long.MAX_VALUE, 5)).isPositive();
    assertThat(HostTree.nanos(Long.MIN_VALUE, 5)).isNegative();
    assertThat(HostTree.nanos(-1, 5)).isEqualTo(-999_999_995L);
  }
}
