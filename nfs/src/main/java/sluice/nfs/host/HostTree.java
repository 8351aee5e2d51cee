package sluice.nfs.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.DirectorySink;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.SliceSink;
import sluice.fs.TreeStatus;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.nfs.host.HostDescriptors.Kind;
import sluice.nfs.host.HostDescriptors.Open;
import sluice.sys.AttributeCalls;
import sluice.sys.DirectoryEntries;
import sluice.sys.Errno;
import sluice.sys.FileHandles;
import sluice.sys.Files;
import sluice.sys.NameCalls;
import sluice.sys.StatFs;
import sluice.sys.Statx;
import sluice.sys.ThreadCredentials;

/// A [FileTree] that represents a directory of this machine. Every operation is a system call that
/// is executed with the IDs of the caller. This class is thread-safe and caches nothing except open
/// descriptors.
///
/// Files are found by the handles of `open_by_handle_at(2)`, which remain valid after a restart and
/// after renames by other processes. The tree is limited to one file system, and operations on
/// mount points below the directory fail with `EXDEV`.
///
/// Groups are not atomic ([#atomicGroups]), and a change of several attributes may be applied only
/// in part. Changes are made stable by `fsync(2)` of the affected files and directories, and all
/// waiting threads share one round ([HostChanges]).
///
/// Opening a tree sets the `umask` of the process to 0, because callers have already applied their
/// own.
public final class HostTree implements FileTree {
  private static final int MASK = Statx.STATX_BASIC_STATS | Statx.STATX_BTIME;

  /// The limit of ext4. Other file systems have different limits and report an error if they are
  /// exceeded.
  private static final int LINK_MAX = 65_000;

  private static final int NAME_MAX = 255;
  private static final int PATH_MAX = 4096;
  private static final int DESCRIPTORS = 1024;
  private static final long NANOS = 1_000_000_000L;
  private static final long MOST_SECONDS = Long.MAX_VALUE / NANOS - 1;
  private static final byte[] DOT = {'.'};
  private static final byte[] DOT_DOT = {'.', '.'};

  private final Path directory;
  private final boolean readOnly;
  private final HostFile root;
  private final HostFiles files;
  private final HostDescriptors descriptors;
  private final HostChanges changes;
  private final HostContent content;
  private final HostAttributes attributes;
  private final int mount;

  private HostTree(Path directory, boolean readOnly, int mount, Statx status) throws IOException {
    this.directory = directory;
    this.readOnly = readOnly;
    this.mount = mount;
    this.files = new HostFiles(status.device(), HostFiles.LIMIT);
    this.root = files.of(mount, status);
    this.descriptors = new HostDescriptors(mount, DESCRIPTORS);
    this.changes = new HostChanges(descriptors, mount);
    this.attributes = new HostAttributes(descriptors);
    this.content = new HostContent(descriptors, new Account("host tree", 256L << 20));
  }

  /// Opens a directory.
  ///
  /// @param readOnly true to refuse every change with `EROFS`
  /// @throws FsException `EPERM` if the process lacks the capabilities to change its IDs and to
  ///   open files by handle (root has them), `EOPNOTSUPP` if the file system has no file handles
  public static HostTree open(Path directory, boolean readOnly) throws IOException {
    if (!HostCalls.privileged()) {
      throw FsException.of(
          Errno.EPERM,
          directory
              + " as an export needs CAP_SETUID, CAP_SETGID and CAP_DAC_READ_SEARCH: files are"
              + " opened by handle, with the ids of the caller; Fix: run as root, or export an"
              + " image");
    }
    int fd =
        (int)
            HostCalls.check(
                Files.openat(Files.AT_FDCWD, directory.toString(), directoryFlags(), 0),
                "open " + directory);
    try {
      Statx attributes = statx(fd, "statx " + directory);
      HostTree tree = new HostTree(directory, readOnly, fd, attributes);
      tree.descriptors.open(tree.root, Kind.PATH).close();
      ThreadCredentials.umask(0);
      return tree;
    } catch (FsException e) {
      Files.close(fd);
      if (e.errno() == Errno.EOPNOTSUPP) {
        throw FsException.of(
            e.errno(),
            directory
                + " is on a file system without file handles; Fix: export a directory of ext4, xfs,"
                + " btrfs or tmpfs, or an image");
      }
      throw e;
    } catch (IOException | RuntimeException e) {
      Files.close(fd);
      throw e;
    }
  }

  private static int directoryFlags() {
    return Files.O_RDONLY | Files.O_DIRECTORY;
  }

  // ---- lookups --------------------------------------------------------------------------------

  @Override
  public long rootInode() {
    return root.inode;
  }

  @Override
  public TreeStatus status() throws IOException {
    StatFs status = new StatFs();
    HostCalls.check(Files.fstatfs(mount, status), "fstatfs " + directory);
    return new TreeStatus(
        (int) status.blockBytes(),
        status.blocks(),
        status.blocksFree(),
        status.blocksAvailable(),
        status.files(),
        status.filesFree(),
        NAME_MAX,
        LINK_MAX,
        Long.MAX_VALUE,
        status.id(),
        readOnly);
  }

  @Override
  public byte[] locator(long inode) throws FsException {
    return files.get(inode).handle.clone();
  }

  @Override
  public void recall(long inode, byte[] locator) throws IOException {
    if (files.knows(inode, locator)) {
      return;
    }
    int fd = FileHandles.open(mount, locator, Kind.PATH.flags);
    if (fd == -Errno.EINVAL) {
      throw FsException.of(Errno.ESTALE, "a handle that names nothing here");
    }
    HostCalls.check(fd, "open_by_handle_at");
    try {
      if (files.of(fd, statx(fd, "statx")).inode != inode) {
        throw FsException.of(Errno.ESTALE, "a handle of another file");
      }
    } finally {
      Files.close(fd);
    }
  }

  @Override
  public FileAttributes attributes(long inode) throws IOException {
    HostFile file = files.get(inode);
    try (Open open = descriptors.open(file, Kind.PATH)) {
      return attributes(file, statx(open.fd, "statx " + file));
    }
  }

  private static Statx statx(int fd, String what) throws FsException {
    Statx attributes = new Statx();
    HostCalls.check(Files.statx(fd, MASK, attributes), what);
    return attributes;
  }

  private static FileAttributes attributes(HostFile file, Statx now) {
    return new FileAttributes(
        file.inode,
        file.generation,
        now.mode(),
        now.links(),
        now.uid(),
        now.gid(),
        now.size(),
        now.blocks() * 512,
        now.deviceMajor(),
        now.deviceMinor(),
        nanos(now.accessedSeconds(), now.accessedNanos()),
        nanos(now.modifiedSeconds(), now.modifiedNanos()),
        nanos(now.changedSeconds(), now.changedNanos()),
        nanos(now.bornSeconds(), now.bornNanos()),
        nanos(now.changedSeconds(), now.changedNanos()));
  }

  /// Returns nanoseconds since 1970. Times beyond the range of a long, about 1677 to 2262, are
  /// clamped.
  static long nanos(long seconds, int nanos) {
    return Math.clamp(seconds, -MOST_SECONDS, MOST_SECONDS) * NANOS + nanos;
  }

  @Override
  public long lookup(Caller caller, long directory, byte[] name) throws IOException {
    return find(caller, directory, name).inode();
  }

  /// Looks up a name and returns the attributes of the file. The lookup and the attributes use the
  /// same open descriptor.
  @Override
  public FileAttributes find(Caller caller, long directory, byte[] name) throws IOException {
    HostFile parent = files.get(directory);
    if (parent == root && Arrays.equals(name, DOT_DOT)) {
      name = DOT;
    }
    check(name);
    byte[] wanted = name;
    try (Open open = descriptors.open(parent, Kind.PATH)) {
      int fd =
          (int)
              HostCalls.as(
                  caller,
                  "lookup in " + parent,
                  () -> NameCalls.openat(open.fd, wanted, Kind.PATH.flags, 0));
      try {
        Statx now = statx(fd, "statx");
        return attributes(files.of(fd, now), now);
      } finally {
        Files.close(fd);
      }
    }
  }

  private static void check(byte[] name) throws FsException {
    for (byte b : name) {
      if (b == '/') {
        throw FsException.of(Errno.EINVAL, "a name with a slash");
      }
    }
  }

  @Override
  public int access(Caller caller, long inode, int rights) throws IOException {
    HostFile file = files.get(inode);
    try (Open open = descriptors.open(file, Kind.PATH)) {
      int granted = 0;
      for (int right = 1; right <= READ; right <<= 1) {
        int asked = right;
        if ((rights & right) != 0
            && granted(caller, () -> AttributeCalls.faccessat(open.fd, asked))) {
          granted |= right;
        }
      }
      return granted;
    }
  }

  private static boolean granted(Caller caller, HostCalls.Call call) throws FsException {
    try {
      HostCalls.as(caller, "access", call);
      return true;
    } catch (FsException e) {
      if (e.errno() == Errno.EACCES || e.errno() == Errno.EROFS || e.errno() == Errno.EPERM) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public byte[] readLink(long inode) throws IOException {
    HostFile file = files.get(inode);
    try (Open open = descriptors.open(file, Kind.PATH)) {
      byte[] target = new byte[PATH_MAX];
      int length = NameCalls.readlink(open.fd, target);
      if (length == -Errno.ENOENT) {
        throw FsException.of(Errno.EINVAL, file + " is no symbolic link");
      }
      return Arrays.copyOf(target, (int) HostCalls.check(length, "readlink " + file));
    }
  }

  @Override
  public boolean list(long directory, long cookie, DirectorySink sink) throws IOException {
    HostFile file = files.get(directory);
    int fd = descriptors.openOwn(file, directoryFlags());
    try {
      DirectoryEntries entries = new DirectoryEntries();
      HostCalls.check(entries.openAt(fd, cookie), "lseek " + file);
      while (HostCalls.check(entries.next(), "getdents64 " + file) > 0) {
        byte[] name = entries.nameBytes();
        long inode = file == root && Arrays.equals(name, DOT_DOT) ? root.inode : entries.inode();
        if (!sink.entry(inode, kind(entries.type()), name, entries.nextOffset())) {
          return false;
        }
      }
      return true;
    } finally {
      Files.close(fd);
    }
  }

  private static FileKind kind(int type) {
    // A DT_ constant is the type bits of a mode, shifted right by 12.
    return FileKind.ofMode(type << 12);
  }

  // ---- content --------------------------------------------------------------------------------

  @Override
  public int read(long inode, long position, Memory into, long at, int count) throws IOException {
    return content.read(regular(inode), position, into, at, count);
  }

  @Override
  public int slices(long inode, long position, int count, SliceSink sink) throws IOException {
    return content.slices(regular(inode), position, count, sink);
  }

  @Override
  public int write(Caller caller, long inode, long position, Memory from, long at, int count)
      throws IOException {
    refuseIfReadOnly();
    return content.write(caller, regular(inode), position, from, at, count);
  }

  @Override
  public long seek(long inode, long position, boolean hole) throws IOException {
    HostFile file = regular(inode);
    try (Open open = descriptors.open(file, Kind.READ)) {
      return HostCalls.check(AttributeCalls.seek(open.fd, position, hole), "lseek " + file);
    }
  }

  @Override
  public void allocate(Caller caller, long inode, int flags, long position, long length)
      throws IOException {
    refuseIfReadOnly();
    HostFile file = regular(inode);
    try (Open open = descriptors.open(file, Kind.WRITE)) {
      HostCalls.as(
          caller,
          "fallocate " + file,
          () -> AttributeCalls.fallocate(open.fd, flags, position, length));
    }
    changes.add(file);
  }

  private HostFile regular(long inode) throws FsException {
    HostFile file = files.get(inode);
    requireRegular(file);
    return file;
  }

  private static void requireRegular(HostFile file) throws FsException {
    if (file.kind == FileKind.DIRECTORY) {
      throw FsException.of(Errno.EISDIR, file + " is a directory");
    }
    if (file.kind != FileKind.REGULAR) {
      throw FsException.of(Errno.EINVAL, file + " is no regular file");
    }
  }

  // ---- names ----------------------------------------------------------------------------------

  @Override
  public long create(Caller caller, long directory, byte[] name, NewFile what) throws IOException {
    refuseIfReadOnly();
    check(name);
    HostFile parent = files.get(directory);
    try (Open open = descriptors.open(parent, Kind.PATH)) {
      HostCalls.as(caller, "create in " + parent, () -> make(open.fd, name, what));
      int fd =
          (int)
              HostCalls.check(
                  NameCalls.openat(open.fd, name, Kind.PATH.flags, 0), "open what was created");
      try {
        HostFile file = files.of(fd, statx(fd, "statx"));
        if (file.opens()) {
          changes.add(parent, file);
        } else {
          changes.add(parent);
        }
        return file.inode;
      } finally {
        Files.close(fd);
      }
    }
  }

  private static long make(int directory, byte[] name, NewFile what) {
    byte[] target = what.target();
    int mode = what.kind().modeBits() | what.permissions();
    return switch (what.kind()) {
      case DIRECTORY -> NameCalls.mkdirat(directory, name, what.permissions());
      case SYMLINK -> target == null ? -Errno.EINVAL : NameCalls.symlinkat(target, directory, name);
      case UNKNOWN -> -Errno.EINVAL;
      default -> NameCalls.mknodat(directory, name, mode, what.deviceMajor(), what.deviceMinor());
    };
  }

  @Override
  public void link(Caller caller, long inode, long directory, byte[] name) throws IOException {
    refuseIfReadOnly();
    check(name);
    HostFile file = files.get(inode);
    HostFile parent = files.get(directory);
    try (Open from = descriptors.open(file, Kind.PATH);
        Open to = descriptors.open(parent, Kind.PATH)) {
      byte[] path = HostCalls.path(from.fd);
      HostCalls.as(
          caller,
          "link " + file,
          () -> NameCalls.linkat(Files.AT_FDCWD, path, to.fd, name, NameCalls.AT_SYMLINK_FOLLOW));
    }
    changes.add(parent);
  }

  @Override
  public void unlink(Caller caller, long directory, byte[] name) throws IOException {
    remove(caller, directory, name, 0);
  }

  @Override
  public void rmdir(Caller caller, long directory, byte[] name) throws IOException {
    remove(caller, directory, name, NameCalls.AT_REMOVEDIR);
  }

  private void remove(Caller caller, long directory, byte[] name, int flags) throws IOException {
    refuseIfReadOnly();
    check(name);
    HostFile parent = files.get(directory);
    try (Open open = descriptors.open(parent, Kind.PATH)) {
      HostFile goes = present(open.fd, name);
      HostCalls.as(caller, "remove from " + parent, () -> NameCalls.unlinkat(open.fd, name, flags));
      if (goes != null) {
        descriptors.forget(goes);
      }
    }
    changes.add(parent);
  }

  /// Returns the file that a name refers to, or null if there is none, so that its descriptors can
  /// be closed when the name is removed.
  private @Nullable HostFile present(int directory, byte[] name) throws IOException {
    int fd = NameCalls.openat(directory, name, Kind.PATH.flags, 0);
    if (fd < 0) {
      return null; // the following call reports the error
    }
    try {
      Statx now = statx(fd, "statx");
      return now.device() == files.device() ? files.of(fd, now) : null;
    } finally {
      Files.close(fd);
    }
  }

  @Override
  public void rename(Caller caller, long from, byte[] name, long to, byte[] newName, int flags)
      throws IOException {
    refuseIfReadOnly();
    check(name);
    check(newName);
    HostFile source = files.get(from);
    HostFile target = files.get(to);
    try (Open old = descriptors.open(source, Kind.PATH);
        Open next = descriptors.open(target, Kind.PATH)) {
      HostFile goes = flags == 0 ? present(next.fd, newName) : null;
      HostCalls.as(
          caller,
          "rename in " + source,
          () -> NameCalls.renameat2(old.fd, name, next.fd, newName, flags));
      if (goes != null) {
        descriptors.forget(goes);
      }
    }
    changes.add(source, target);
  }

  // ---- attributes -----------------------------------------------------------------------------

  @Override
  public void setAttributes(Caller caller, long inode, AttributeChange change) throws IOException {
    refuseIfReadOnly();
    HostFile file = files.get(inode);
    try (Open open = descriptors.open(file, Kind.PATH)) {
      if (change.has(AttributeChange.SIZE)) {
        resize(caller, file, open.fd, change);
      }
      if (change.has(AttributeChange.UID | AttributeChange.GID)) {
        int uid = change.has(AttributeChange.UID) ? change.uid() : -1;
        int gid = change.has(AttributeChange.GID) ? change.gid() : -1;
        HostCalls.as(caller, "chown " + file, () -> AttributeCalls.chown(open.fd, uid, gid));
      }
      if (change.has(AttributeChange.MODE)) {
        if (file.kind == FileKind.SYMLINK) {
          throw FsException.of(Errno.EOPNOTSUPP, "symbolic links have no permissions");
        }
        byte[] path = HostCalls.path(open.fd);
        HostCalls.as(caller, "chmod " + file, () -> AttributeCalls.chmod(path, change.mode()));
      }
      if (change.has(AttributeChange.ACCESS | AttributeChange.MODIFY)) {
        HostCalls.as(caller, "utimensat " + file, () -> times(open.fd, change));
      }
    }
    if (file.opens()) {
      changes.add(file);
    } else {
      changes.addOther();
    }
  }

  private static long times(int fd, AttributeChange change) {
    return AttributeCalls.utimens(
        fd,
        change.accessNanos(),
        special(change.has(AttributeChange.ACCESS), change.accessNanos()),
        change.modifyNanos(),
        special(change.has(AttributeChange.MODIFY), change.modifyNanos()));
  }

  private static long special(boolean changes, long nanos) {
    if (!changes) {
      return AttributeCalls.UTIME_OMIT;
    }
    return nanos == AttributeChange.NOW ? AttributeCalls.UTIME_NOW : 0;
  }

  private void resize(Caller caller, HostFile file, int path, AttributeChange change)
      throws IOException {
    requireRegular(file);
    if (!change.has(AttributeChange.OPENED)) {
      HostCalls.as(caller, "truncate " + file, () -> AttributeCalls.faccessat(path, WRITE));
    }
    try (Open open = descriptors.open(file, Kind.WRITE)) {
      HostCalls.as(caller, "truncate " + file, () -> Files.ftruncate(open.fd, change.sizeBytes()));
    }
  }

  private void refuseIfReadOnly() throws FsException {
    if (readOnly) {
      throw FsException.of(Errno.EROFS, directory + " is served read only");
    }
  }

  // ---- extended attributes --------------------------------------------------------------------

  @Override
  public byte[] extendedAttribute(Caller caller, long inode, byte[] name) throws IOException {
    return attributes.get(caller, files.get(inode), name);
  }

  @Override
  public byte[] extendedAttributes(Caller caller, long inode) throws IOException {
    return attributes.list(caller, files.get(inode));
  }

  @Override
  public void setExtendedAttribute(Caller caller, long inode, byte[] name, byte[] value, int flags)
      throws IOException {
    refuseIfReadOnly();
    HostFile file = files.get(inode);
    attributes.set(caller, file, name, value, flags);
    changes.add(file);
  }

  @Override
  public void removeExtendedAttribute(Caller caller, long inode, byte[] name) throws IOException {
    refuseIfReadOnly();
    HostFile file = files.get(inode);
    attributes.remove(caller, file, name);
    changes.add(file);
  }

  // ---- lifecycle and durability ---------------------------------------------------------------

  @Override
  public void retain(long inode) throws IOException {
    descriptors.retain(files.get(inode));
  }

  @Override
  public void release(long inode) throws IOException {
    HostFile file = files.get(inode);
    if (descriptors.release(file)) {
      try (Open open = descriptors.open(file, Kind.PATH)) {
        if (statx(open.fd, "statx " + file).links() > 0) {
          return;
        }
      }
      descriptors.forget(file);
    }
  }

  @Override
  public void sync(long inode, boolean dataOnly) throws IOException {
    HostFile file = files.get(inode);
    if (!file.opens()) {
      sync();
      return;
    }
    try (Open open = descriptors.open(file, Kind.READ)) {
      int result = dataOnly ? Files.fdatasync(open.fd) : AttributeCalls.fsync(open.fd);
      HostCalls.check(result, "fsync " + file);
    }
  }

  @Override
  public void sync() throws IOException {
    HostCalls.check(AttributeCalls.syncfs(mount), "syncfs " + directory);
  }

  @Override
  public boolean atomicGroups() {
    return false;
  }

  @Override
  public Group group() {
    return () -> {};
  }

  @Override
  public long stablePoint() {
    return changes.point();
  }

  @Override
  public void awaitStable(long point) throws IOException {
    changes.await(point);
  }

  /// Returns the number of completed `fsync` rounds, for tests.
  int syncRounds() {
    return changes.rounds();
  }

  @Override
  public void whenStable(long point, StableListener then) {
    Thread.ofVirtual()
        .name("host-tree-stable")
        .start(() -> {
          IOException failure = null;
          try {
            changes.await(point);
          } catch (IOException e) {
            failure = e;
          }
          then.stable(failure);
        });
  }

  @Override
  public void close() throws IOException {
    try {
      sync();
    } finally {
      descriptors.close();
    }
  }
}
