package sluice.http.files;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.sys.DirectoryEntries;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Statx;

/// Opens the files of a site by `openat2(2)`. The kernel resolves each path beneath the root and
/// opens the file in a single step.
///
/// Any thread may call. A path is first opened without allowing any links, which also detects if it
/// contains one. If it does, it is opened again according to the site's policy. An absolute link to
/// a target beneath the root is considered to be inside the root, but the kernel rejects it. Its
/// target is therefore opened without read access (`O_PATH`), its real name is compared with that
/// of the root, and the same file is then reopened.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | closed | any | volatile | compareAndSet |
/// | spare | any | getAndSet | set |
public final class SiteKernelFiles implements SiteFiles {
  private static final int OPEN = Files.O_RDONLY | Files.O_NONBLOCK | Files.O_NOCTTY;
  private static final int INSIDE = Files.RESOLVE_BENEATH | Files.RESOLVE_NO_MAGICLINKS;
  private static final int ANYWHERE = Files.RESOLVE_NO_MAGICLINKS;
  private static final int MOST_PATH_BYTES = 4096;

  private final KernelRoot root;
  private final Site.Symlinks symlinks;
  private final SharedRoot shared;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicReferenceArray<@Nullable Statx> spare = new AtomicReferenceArray<>(16);

  /// @param shared the state that is shared by all sites of the directory, of which this object
  ///   holds a lease
  /// @param root the root of `shared`
  SiteKernelFiles(SharedRoot shared, KernelRoot root, Site.Symlinks symlinks) {
    this.shared = shared;
    this.root = root;
    this.symlinks = symlinks;
  }

  @Override
  public int reopenRoot() {
    return shared.reopen();
  }

  private static byte[] name(SitePath path) {
    return path.isRoot() ? KernelRoot.HERE : path.bytes();
  }

  @Override
  public Opened open(SitePath path) {
    int fd = root.open(name(path), OPEN, KernelRoot.NO_LINKS);
    boolean symlink = fd == -Errno.ELOOP;
    if (symlink) {
      fd = openThroughLinks(name(path));
    }
    if (fd < 0) {
      return Opened.failed(fd, symlink);
    }
    KernelHandle handle = new KernelHandle(fd);
    FileStatus status = new FileStatus();
    int errno = handle.status(status);
    if (errno != 0 || !(status.isRegular() || status.isDirectory())) {
      handle.close();
      return Opened.failed(errno != 0 ? errno : ENXIO, symlink);
    }
    return new Opened(0, handle, symlink, status);
  }

  private int openThroughLinks(byte[] name) {
    return switch (symlinks) {
      case REFUSE -> -Errno.ELOOP;
      case FOLLOW -> root.open(name, OPEN, ANYWHERE);
      case INSIDE -> {
        int fd = root.open(name, OPEN, INSIDE);
        yield fd == -Errno.EXDEV ? openByRealName(name) : fd;
      }
    };
  }

  private int openByRealName(byte[] name) {
    int place = root.open(name, Files.O_PATH, ANYWHERE);
    if (place < 0) {
      return place;
    }
    try {
      String real = realName(place);
      String realRoot = realName(root.fd());
      boolean inside =
          real != null
              && realRoot != null
              && (real.equals(realRoot)
                  || real.startsWith(realRoot.equals("/") ? "/" : realRoot + "/"));
      return inside
          ? Files.openat(Files.AT_FDCWD, "/proc/self/fd/" + place, OPEN, 0)
          : -Errno.EXDEV;
    } finally {
      Files.close(place);
    }
  }

  /// Returns the name of an open file with one character per byte, or null if `/proc` does not
  /// provide it.
  private static @Nullable String realName(int fd) {
    byte[] bytes = new byte[MOST_PATH_BYTES];
    int length = Files.readlink(Files.AT_FDCWD, "/proc/self/fd/" + fd, bytes);
    return length <= 0 || length == bytes.length
        ? null
        : new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
  }

  @Override
  public int status(SitePath path, FileStatus into) {
    return status(path, 0, into);
  }

  @Override
  public int entryStatus(SitePath path, FileStatus into) {
    return status(path, Files.AT_SYMLINK_NOFOLLOW, into);
  }

  private int status(SitePath path, int flags, FileStatus into) {
    int missing = root.errno();
    if (missing < 0) {
      return missing;
    }
    Statx statx = take();
    try {
      // Network file systems only report recent changes on other machines if synchronization is
      // forced.
      MemorySegment name = path.isRoot() ? SitePath.HERE : path.cString();
      int how = flags | Files.AT_STATX_FORCE_SYNC;
      int result = Files.statx(root.fd(), name, how, Statx.STATX_BASIC_STATS, statx);
      if (result == 0) {
        copy(statx, into);
      }
      return result;
    } finally {
      give(statx);
    }
  }

  private int status(int fd, FileStatus into) {
    Statx statx = take();
    try {
      int result = Files.statx(fd, Statx.STATX_BASIC_STATS, statx);
      if (result == 0) {
        copy(statx, into);
      }
      return result;
    } finally {
      give(statx);
    }
  }

  private static void copy(Statx statx, FileStatus into) {
    into.kind =
        statx.isRegularFile()
            ? FileStatus.REGULAR
            : statx.isDirectory()
                ? FileStatus.DIRECTORY
                : statx.isSymbolicLink() ? FileStatus.SYMLINK : FileStatus.OTHER;
    into.mode = statx.mode() & 07777;
    into.uid = statx.uid();
    into.gid = statx.gid();
    into.links = statx.links();
    into.device = statx.device();
    into.inode = statx.inode();
    into.sizeBytes = statx.size();
    into.modifiedSeconds = statx.modifiedSeconds();
    into.modifiedNanos = statx.modifiedNanos();
    into.changedSeconds = statx.changedSeconds();
    into.changedNanos = statx.changedNanos();
  }

  private Statx take() {
    Statx statx = spare.getAndSet(slot(), null);
    return statx == null ? new Statx() : statx;
  }

  private void give(Statx statx) {
    spare.setRelease(slot(), statx);
  }

  private int slot() {
    return (int) Thread.currentThread().threadId() & (spare.length() - 1);
  }

  @Override
  public Listed list(SitePath directory, int limit, Filter filter) {
    Opened opened = open(directory);
    try (FileHandle handle = opened.handle()) {
      return handle == null
          ? Listed.failed(opened.errno())
          : list(handle.fd(), new FirstEntries(limit, filter));
    }
  }

  /// Lists a directory. Only entries that are shown require a `statx`, because the directory itself
  /// contains the type of each entry.
  private static Listed list(int fd, FirstEntries first) {
    DirectoryEntries cursor = new DirectoryEntries();
    Statx statx = new Statx();
    cursor.open(fd);
    int result = cursor.next();
    while (result > 0) {
      byte[] name = cursor.nameBytes();
      int kind = kind(cursor.type());
      if (kind >= 0) {
        first.offer(name, kind);
      } else if (entryStatus(fd, name, statx)) {
        FileStatus status = new FileStatus();
        copy(statx, status);
        first.offer(name, status.kind);
      }
      result = cursor.next();
    }
    if (result < 0) {
      return Listed.failed(result);
    }
    List<Entry> entries = new ArrayList<>();
    for (FirstEntries.Name each : first.sorted()) {
      if (entryStatus(fd, each.name(), statx)) { // otherwise it was deleted in the meantime
        FileStatus status = new FileStatus();
        copy(statx, status);
        entries.add(new Entry(each.name(), status));
      }
    }
    return new Listed(0, entries, first.more());
  }

  private static boolean entryStatus(int fd, byte[] name, Statx into) {
    int flags = Files.AT_SYMLINK_NOFOLLOW;
    return Files.statx(fd, name, flags, Statx.STATX_BASIC_STATS, into) == 0;
  }

  /// Converts a `DT_` type to [FileStatus#kind], or returns a negative number if the file system
  /// does not provide the type.
  private static int kind(int type) {
    return switch (type) {
      case DirectoryEntries.DT_REG -> FileStatus.REGULAR;
      case DirectoryEntries.DT_DIR -> FileStatus.DIRECTORY;
      case DirectoryEntries.DT_LNK -> FileStatus.SYMLINK;
      case DirectoryEntries.DT_UNKNOWN -> -1;
      default -> FileStatus.OTHER;
    };
  }

  @Override
  public @Nullable String shortcoming() {
    return null;
  }

  /// Releases the root. Handles that were opened before remain open. Idempotent.
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      shared.release();
    }
  }

  /// An open descriptor.
  private final class KernelHandle implements FileHandle {
    private final int fd;
    private final AtomicBoolean handleClosed = new AtomicBoolean();

    KernelHandle(int fd) {
      this.fd = fd;
    }

    @Override
    public int fd() {
      return fd;
    }

    @Override
    public int status(FileStatus into) {
      return SiteKernelFiles.this.status(fd, into);
    }

    @Override
    public int read(MemorySegment target, long offset, int length, long position) {
      return Files.pread(fd, target, offset, length, position);
    }

    @Override
    public void settle() {
      // When ext4, tmpfs and other file systems search for a hole, they acquire the inode's lock,
      // as a write does.
      Files.seekHole(fd, 0);
    }

    @Override
    public void close() {
      if (handleClosed.compareAndSet(false, true)) {
        Files.close(fd);
      }
    }
  }
}
