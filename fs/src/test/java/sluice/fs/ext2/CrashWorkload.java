package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.FaultyDevice;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.RecordingDevice;
import sluice.fs.block.BlockDevice;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// A mixed workload of one thread on a tree over a [RecordingDevice]. It records the content of the
/// tree after each operation, and the points that were awaited. Confined to the test's thread.
/// Alternatively, several workloads, each with its own thread, work in one tree and record their
/// [TreePart]s of it.
///
/// The content of files is random, so that the bytes of one file or time are not mistaken for those
/// of another.
final class CrashWorkload implements AutoCloseable {
  /// The recorded steps and the awaited points.
  record Recorded(List<Step> steps, List<Awaited> awaited) {}

  /// The content of the tree after an operation, and the number of events before the operation.
  ///
  /// @param begunNanos the time at which the operation began, on a clock that all threads share
  /// @param endedNanos the time at which it had ended
  /// @param whole false in the middle of a group; a crash can reveal at most file content of such a
  ///   step
  record Step(int eventsBefore, long begunNanos, long endedNanos, TreeState after, boolean whole) {}

  /// Records that everything up to a step was stable when the given number of events had happened.
  record Awaited(int events, int step) {}

  /// The errnos with which an operation may be refused. All others are failures of the test.
  private static final Set<Integer> REFUSALS =
      Set.of(
          Errno.ENOENT,
          Errno.EEXIST,
          Errno.ENOTEMPTY,
          Errno.EISDIR,
          Errno.ENOTDIR,
          Errno.EINVAL,
          Errno.EBUSY,
          Errno.EPERM,
          Errno.ELOOP,
          Errno.ENODEV,
          Errno.EOPNOTSUPP,
          Errno.ENODATA,
          Errno.ESTALE,
          Errno.ENOSPC);

  private static final int SLOTS = 40;
  private static final int SLOT_BYTES = 256;

  /// The errnos with which an operation may end if the device fails.
  private static final Set<Integer> FAILURES = Set.of(Errno.EIO, Errno.EROFS);

  /// The mean number of operations per disturbed operation, if a faulty device is given.
  private static final int DISTURBED = 25;

  private final Random random;
  private final BlockDevice device;
  private final IntSupplier events;
  private final @Nullable FaultyDevice faulty;
  private final MountOptions options;
  private final TreePart part;
  private final Block block = Blocks.of(1 << 20);
  private final Memory memory = Memory.over(block, 0, 1 << 20);
  private final TreeState.Reader reader = new TreeState.Reader();
  private final List<Step> steps = new ArrayList<>();
  private final List<Awaited> awaited = new ArrayList<>();
  private final List<Long> retained = new ArrayList<>();
  private Ext2 tree;
  private TreeState state;
  private long records;
  private boolean over;
  private long begunNanos = System.nanoTime();
  private long endedNanos = begunNanos;

  /// Mounts the device and creates a workload on the whole tree.
  ///
  /// @param device a [RecordingDevice], whose states are judged, or a [FaultyDevice], which the
  ///   workload makes fail now and then
  CrashWorkload(long seed, BlockDevice device, MountOptions options) throws IOException {
    this(seed, device, options, Ext2.mount(device, options), TreePart.WHOLE);
  }

  /// Creates a workload on a tree or a part of it.
  ///
  /// @param tree a tree on the device; if only a part of it belongs to this workload, the caller
  ///   closes it
  CrashWorkload(long seed, BlockDevice device, MountOptions options, Ext2 tree, TreePart part)
      throws IOException {
    random = new Random(seed);
    this.device = device;
    this.options = options;
    this.tree = tree;
    this.part = part;
    events = device instanceof RecordingDevice recording ? recording::events : () -> 0;
    faulty = device instanceof FaultyDevice failing ? failing : null;
    state = reader.read(tree, part, null);
    add(0, true);
  }

  /// Runs operations concurrently with workloads on other parts of the tree.
  Recorded runBeside(int operations) throws IOException {
    for (int i = 0; i < operations; i++) {
      int choice = random.nextInt(40);
      if (choice < 6) {
        awaitAll(i);
      } else {
        step(choice < 12 ? this::passOn : this::change, i);
      }
      assertThat(over).as("operation " + i + ": the tree is read-only").isFalse();
    }
    letGo();
    return new Recorded(steps, awaited);
  }

  /// Runs operations, then unmounts.
  Recorded run(int operations) throws IOException {
    step(() -> directory(""), 0);
    if (tree.atomicGroups()) {
      step(this::makeRecords, 0);
    }
    for (int i = 0; i < operations && !over; i++) {
      operate(i, operations);
    }
    if (over) {
      abandon();
    } else {
      unmount();
    }
    return new Recorded(steps, awaited);
  }

  private void makeRecords() throws IOException {
    long directory =
        tree.create(Caller.ROOT, tree.rootInode(), name("records"), NewFile.directory(0700));
    records =
        tree.create(Caller.ROOT, directory, name("log"), NewFile.regular(0600).withJournaledData());
  }

  private void operate(int i, int operations) throws IOException {
    int choice = random.nextInt(40);
    if (i % (operations / 3 + 1) == operations / 4) {
      unmount();
      int before = events.getAsInt();
      tree = Ext2.mount(device, options);
      note(before, true);
    } else if (choice < 3) {
      awaitAll(i);
    } else if (choice < 9 && records != 0) {
      step(() -> group(i), i);
    } else {
      step(this::change, i);
    }
  }

  private void awaitAll(int number) throws IOException {
    long inode = random.nextBoolean() ? 0 : inode(file());
    disturb();
    int errno = attempt(() -> sync(inode), number);
    heal();
    if (errno == 0) {
      awaited.add(new Awaited(events.getAsInt(), steps.size() - 1));
    }
    over = tree.status().readOnly();
  }

  private void sync(long inode) throws IOException {
    if (inode == 0 && part.whole()) {
      tree.sync();
    } else if (inode == 0) {
      tree.awaitStable(tree.stablePoint());
    } else {
      tree.sync(inode, random.nextBoolean());
    }
  }

  /// Closes a tree that has become read-only.
  private void abandon() throws IOException {
    int errno = attempt(tree::close, -1);
    assertThat(errno).isIn(0, Errno.EIO);
  }

  private void letGo() throws IOException {
    for (long inode : retained) {
      tree.release(inode);
    }
    retained.clear();
  }

  private void unmount() throws IOException {
    int before = events.getAsInt();
    letGo();
    tree.close();
    // Nothing that a step compares was changed.
    add(before, true);
    awaited.add(new Awaited(events.getAsInt(), steps.size() - 1));
  }

  private interface Action {
    void run() throws IOException;
  }

  private void step(Action action, int number) throws IOException {
    int before = events.getAsInt();
    disturb();
    int errno = attempt(action, number);
    heal();
    over = tree.status().readOnly();
    if (!over || errno == 0) {
      note(before, true);
    } else if (!tree.atomicGroups()) {
      note(before, false); // half done, and it may stay so
    }
  }

  private int attempt(Action action, int number) throws IOException {
    begunNanos = System.nanoTime();
    try {
      action.run();
      return 0;
    } catch (FsException refused) {
      boolean expected =
          REFUSALS.contains(refused.errno())
              || (faulty != null && FAILURES.contains(refused.errno()));
      if (!expected) {
        throw new AssertionError("operation " + number, refused);
      }
      return refused.errno();
    } finally {
      endedNanos = System.nanoTime();
    }
  }

  private void disturb() {
    if (faulty == null || random.nextInt(DISTURBED) > 0) {
      return;
    }
    Random chance = new Random(random.nextLong());
    int one = 1 + random.nextInt(8);
    faulty.torn = random.nextBoolean() ? new Random(random.nextLong()) : null;
    switch (random.nextInt(8)) {
      case 0 -> faulty.flushFails = () -> true;
      case 1 -> faulty.writeFails = _ -> chance.nextInt(one) == 0;
      default -> faulty.readFails = _ -> chance.nextInt(one) == 0;
    }
  }

  private void heal() {
    if (faulty != null) {
      faulty.heal();
    }
  }

  private void note(int before, boolean whole) throws IOException {
    state = reader.read(tree, part, state);
    add(before, whole);
  }

  private void add(int before, boolean whole) {
    steps.add(new Step(before, begunNanos, endedNanos, state, whole));
  }

  /// Makes some changes and records them, in one group.
  private void group(int number) throws IOException {
    try (FileTree.Group group = tree.group()) {
      int changes = 1 + random.nextInt(3);
      for (int i = 0; i < changes; i++) {
        int before = events.getAsInt();
        if (attempt(this::change, number) == 0 && !tree.status().readOnly()) {
          heal();
          note(before, false);
        }
      }
      assert group != null;
      fill(SLOT_BYTES);
      tree.write(Caller.ROOT, records, (long) (number % SLOTS) * SLOT_BYTES, memory, 0, SLOT_BYTES);
    }
  }

  // ---- the choice of files ----------------------------------------------------------------------

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private boolean isDirectory(String path) {
    return state.get(path).isDirectory();
  }

  private String any(boolean directory) {
    List<String> found = new ArrayList<>();
    for (String path : state.entries().keySet()) {
      boolean ours = !path.startsWith("/records") && !path.contains("/" + TreePart.TOKEN);
      if (isDirectory(path) == directory && ours) {
        found.add(path);
      }
    }
    return found.isEmpty() ? "" : found.get(random.nextInt(found.size()));
  }

  private String file() {
    return any(false);
  }

  /// Returns a path that may exist.
  private String path() {
    if (random.nextInt(3) > 0) {
      String path = any(random.nextInt(6) == 0);
      if (!path.isEmpty() && !path.equals(part.root())) {
        return path;
      }
    }
    String name = random.nextInt(8) == 0 ? "long-" + "x".repeat(random.nextInt(200)) : "n";
    boolean shared = !part.whole() && random.nextInt(4) == 0;
    return (shared ? part.sharedPrefix() : any(true) + "/") + name + random.nextInt(9);
  }

  private static String parent(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  private static byte[] last(String path) {
    return name(path.substring(path.lastIndexOf('/') + 1));
  }

  private long inode(String path) throws IOException {
    long inode = tree.rootInode();
    for (String word : path.split("/", -1)) {
      inode = word.isEmpty() ? inode : tree.lookup(Caller.ROOT, inode, name(word));
    }
    return inode;
  }

  private void fill(int bytes) {
    byte[] content = new byte[bytes];
    random.nextBytes(content);
    memory.copyFrom(content, 0, 0, bytes);
  }

  // ---- one change -------------------------------------------------------------------------------

  private void change() throws IOException {
    switch (random.nextInt(34)) {
      case 0, 1, 2, 3, 4 -> create(NewFile.regular(random.nextInt(01000)));
      case 5, 6, 7, 8, 9, 10, 11, 12, 13 -> write();
      case 14, 15 -> truncate();
      case 16 -> allocate(FileTree.KEEP_SIZE | FileTree.PUNCH_HOLE, 60_000);
      case 17 -> allocate(random.nextInt(2) * FileTree.KEEP_SIZE, 8_000);
      case 18, 19, 20 -> unlink();
      case 21 -> directory(any(true));
      case 22 -> rmdir();
      case 23, 24, 25, 26 -> rename();
      case 27, 28 -> link();
      case 29 -> create(NewFile.symlink(name("t".repeat(1 + random.nextInt(150)))));
      case 30, 31 -> attribute();
      case 32 -> keep();
      default ->
          tree.setAttributes(
              Caller.ROOT, inode(path()), AttributeChange.NONE.withMode(random.nextInt(010000)));
    }
  }

  private void create(NewFile what) throws IOException {
    String path = path();
    tree.create(Caller.ROOT, inode(parent(path)), last(path), what);
  }

  private void directory(String parent) throws IOException {
    byte[] name = name("d" + random.nextInt(3));
    tree.create(Caller.ROOT, inode(parent), name, NewFile.directory(0755));
  }

  private void write() throws IOException {
    long inode = inode(file());
    long position =
        switch (random.nextInt(4)) {
          case 0 -> 512L * random.nextInt(40);
          case 1 -> random.nextInt(30_000);
          case 2 -> random.nextInt(12) == 0 ? 290_000 : 0;
          default -> tree.attributes(inode).sizeBytes();
        };
    int bytes = 1 + random.nextInt(random.nextInt(4) == 0 ? 40_000 : 3_000);
    fill(bytes);
    tree.write(Caller.ROOT, inode, Math.min(position, 300_000), memory, 0, bytes);
  }

  private void truncate() throws IOException {
    long inode = inode(file());
    long size = tree.attributes(inode).sizeBytes();
    long wanted =
        random.nextInt(3) == 0 ? size + random.nextInt(3_000) : random.nextInt((int) size + 1);
    tree.setAttributes(Caller.ROOT, inode, AttributeChange.NONE.withSize(wanted));
  }

  private void allocate(int flags, int most) throws IOException {
    tree.allocate(
        Caller.ROOT, inode(file()), flags, random.nextInt(30_000), 1L + random.nextInt(most));
  }

  private void unlink() throws IOException {
    String path = file();
    if (!path.isEmpty()) {
      tree.unlink(Caller.ROOT, inode(parent(path)), last(path));
    }
  }

  private void rmdir() throws IOException {
    String path = any(true);
    if (!path.equals(part.root()) && !path.equals("/lost+found")) {
      tree.rmdir(Caller.ROOT, inode(parent(path)), last(path));
    }
  }

  private void rename() throws IOException {
    String from = path();
    String to = path();
    if (!from.startsWith("/lost+found") && !to.startsWith("/lost+found")) {
      int flags = random.nextInt(4) == 0 ? 1 + random.nextInt(2) : 0;
      tree.rename(Caller.ROOT, inode(parent(from)), last(from), inode(parent(to)), last(to), flags);
    }
  }

  /// Moves a file that no thread changes or removes, within the shared directory or between it and
  /// this thread's own, or exchanges two such files.
  private void passOn() throws IOException {
    long shared = inode(TreePart.SHARED);
    long from = random.nextBoolean() ? shared : inode(part.root());
    long to = random.nextBoolean() ? shared : inode(part.root());
    int flags = random.nextInt(3) == 0 ? FileTree.EXCHANGE : FileTree.NO_REPLACE;
    tree.rename(Caller.ROOT, from, token(), to, token(), flags);
  }

  private byte[] token() {
    return name(TreePart.TOKEN + random.nextInt(6));
  }

  private void link() throws IOException {
    String to = path();
    tree.link(Caller.ROOT, inode(file()), inode(parent(to)), last(to));
  }

  private void attribute() throws IOException {
    byte[] value = new byte[random.nextInt(3) == 0 ? random.nextInt(700) : random.nextInt(30)];
    random.nextBytes(value);
    byte[] attribute = name("user.a" + random.nextInt(4));
    tree.setExtendedAttribute(Caller.ROOT, inode(file()), attribute, value, 0);
  }

  /// Removes the name of a file that stays retained, and releases a file retained before.
  private void keep() throws IOException {
    if (retained.size() > 3) {
      tree.release(retained.removeFirst());
    }
    String path = file();
    if (!path.isEmpty()) {
      long inode = inode(path);
      tree.retain(inode);
      retained.add(inode);
      tree.unlink(Caller.ROOT, inode(parent(path)), last(path));
    }
  }

  @Override
  public void close() {
    reader.close();
    memory.close();
    block.release();
  }
}
