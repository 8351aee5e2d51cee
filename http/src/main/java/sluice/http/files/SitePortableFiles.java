package sluice.http.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.sys.Errno;

/// Opens the files of a site through `java.nio.file`. This is used on systems without `openat2` and
/// on developers' machines.
///
/// Any thread may call. The guarantees are weaker than with resolution by the kernel. Since a path
/// is checked before it is opened, a program that renames directories beneath the root at the right
/// moment can redirect an open. Files are not watched, so every cache hit is revalidated.
public final class SitePortableFiles implements SiteFiles {
  private final Path root;
  private final Site.Symlinks symlinks;
  private final String why;

  /// @param why the reason, for the operator, why resolution by the kernel is not used
  public SitePortableFiles(Site site, String why) {
    this.root = site.root().toAbsolutePath();
    this.symlinks = site.symlinks();
    this.why = why;
  }

  @Override
  public Opened open(SitePath path) {
    boolean link = false;
    try {
      if (isUnknowable(path)) {
        return Opened.failed(Errno.ENOENT, false);
      }
      Path realRoot = root.toRealPath();
      Path wanted = resolve(realRoot, path);
      Path real = wanted.toRealPath();
      link = !real.equals(wanted);
      if (link && symlinks == Site.Symlinks.REFUSE) {
        return Opened.failed(Errno.ELOOP, true);
      }
      if (symlinks != Site.Symlinks.FOLLOW && !real.startsWith(realRoot)) {
        return Opened.failed(Errno.EXDEV, true);
      }
      FileStatus status = new FileStatus();
      int errno = status(real, status, LinkOption.NOFOLLOW_LINKS);
      if (errno != 0) {
        return Opened.failed(errno, link);
      }
      if (status.isDirectory()) {
        return new Opened(0, new PortableHandle(real, null), link, status);
      }
      if (!status.isRegular()) {
        return Opened.failed(ENXIO, link);
      }
      FileChannel channel =
          FileChannel.open(real, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
      return new Opened(0, new PortableHandle(real, channel), link, status);
    } catch (IOException e) {
      return Opened.failed(errno(e), link || isLink(path));
    }
  }

  /// Returns true if this JVM cannot represent the path, because java.nio uses characters for names
  /// that consist of bytes on disk.
  private boolean isUnknowable(SitePath path) {
    try {
      resolve(root, path);
      return false;
    } catch (InvalidPathException e) {
      return true;
    }
  }

  private boolean isLink(SitePath path) {
    for (int count = 1; count <= path.names(); count++) {
      if (Files.isSymbolicLink(resolve(root, count == path.names() ? path : path.prefix(count)))) {
        return true;
      }
    }
    return false;
  }

  private static Path resolve(Path root, SitePath path) {
    Path at = root;
    for (int i = 0; i < path.names(); i++) {
      at = at.resolve(new String(path.name(i), StandardCharsets.UTF_8));
    }
    return at;
  }

  @Override
  public int status(SitePath path, FileStatus into) {
    return isUnknowable(path) ? -Errno.ENOENT : status(resolve(root, path), into);
  }

  @Override
  public int entryStatus(SitePath path, FileStatus into) {
    return isUnknowable(path)
        ? -Errno.ENOENT
        : status(resolve(root, path), into, LinkOption.NOFOLLOW_LINKS);
  }

  private static int status(Path path, FileStatus into, LinkOption... options) {
    try {
      BasicFileAttributes basic = Files.readAttributes(path, BasicFileAttributes.class, options);
      into.kind =
          basic.isRegularFile()
              ? FileStatus.REGULAR
              : basic.isDirectory()
                  ? FileStatus.DIRECTORY
                  : basic.isSymbolicLink() ? FileStatus.SYMLINK : FileStatus.OTHER;
      into.sizeBytes = basic.size();
      Instant modified = basic.lastModifiedTime().toInstant();
      into.modifiedSeconds = into.changedSeconds = modified.getEpochSecond();
      into.modifiedNanos = into.changedNanos = modified.getNano();
      Object key = basic.fileKey();
      into.inode = key == null ? 0 : key.hashCode();
      addUnixStatus(path, into, options);
      return 0;
    } catch (IOException e) {
      return -errno(e);
    }
  }

  private static void addUnixStatus(Path path, FileStatus into, LinkOption... options)
      throws IOException {
    if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return;
    }
    Map<String, Object> unix =
        Files.readAttributes(path, "unix:ino,dev,nlink,mode,uid,gid,ctime", options);
    into.inode = number(unix.get("ino"));
    into.device = number(unix.get("dev"));
    into.links = (int) number(unix.get("nlink"));
    into.mode = (int) number(unix.get("mode")) & 07777;
    into.uid = (int) number(unix.get("uid"));
    into.gid = (int) number(unix.get("gid"));
    if (unix.get("ctime") instanceof FileTime changed) {
      Instant at = changed.toInstant();
      into.changedSeconds = at.getEpochSecond();
      into.changedNanos = at.getNano();
    }
  }

  private static long number(@Nullable Object value) {
    return value instanceof Number number ? number.longValue() : 0;
  }

  @Override
  public Listed list(SitePath directory, int limit, Filter filter) {
    Path at = resolve(root, directory);
    FirstEntries first = new FirstEntries(limit, filter);
    FileStatus status = new FileStatus();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(at)) {
      for (Path path : stream) {
        Path name = path.getFileName();
        if (name != null && status(path, status, LinkOption.NOFOLLOW_LINKS) == 0) {
          first.offer(name.toString().getBytes(StandardCharsets.UTF_8), status.kind);
        }
      }
    } catch (IOException e) {
      return Listed.failed(errno(e));
    } catch (DirectoryIteratorException e) {
      IOException cause = e.getCause();
      return Listed.failed(cause == null ? Errno.EIO : errno(cause));
    }
    List<Entry> entries = new ArrayList<>();
    for (FirstEntries.Name each : first.sorted()) {
      FileStatus now = new FileStatus();
      Path path = at.resolve(new String(each.name(), StandardCharsets.UTF_8));
      if (status(path, now, LinkOption.NOFOLLOW_LINKS) == 0) {
        entries.add(new Entry(each.name(), now));
      }
    }
    return new Listed(0, entries, first.more());
  }

  @Override
  public String shortcoming() {
    return "files are opened through java.nio ("
        + why
        + "): changes are found by a stat on each hit, and symbolic links are checked with a race";
  }

  @Override
  public void close() {}

  private static int errno(IOException problem) {
    return switch (problem) {
      case NoSuchFileException e -> Errno.ENOENT;
      case NotDirectoryException e -> Errno.ENOTDIR;
      case AccessDeniedException e -> Errno.EACCES;
      case FileSystemLoopException e -> Errno.ELOOP;
      case NotLinkException e -> Errno.ELOOP;
      default -> fromMessage(String.valueOf(problem.getMessage()));
    };
  }

  /// Returns the errno of an error that has no exception class in java.nio. It is derived from the
  /// message, which contains the text of the C library.
  private static int fromMessage(String message) {
    if (message.endsWith("Not a directory")) {
      return Errno.ENOTDIR;
    }
    if (message.endsWith("File name too long")) {
      return Errno.ENAMETOOLONG;
    }
    if (message.contains("Too many levels of symbolic links")) {
      return Errno.ELOOP;
    }
    if (message.endsWith("Too many open files in system")) {
      return Errno.ENFILE;
    }
    return message.endsWith("Too many open files") ? Errno.EMFILE : Errno.EIO;
  }

  /// An open file, which is represented by its path and its channel.
  private record PortableHandle(Path path, @Nullable FileChannel channel) implements FileHandle {
    @Override
    public int fd() {
      return -1;
    }

    @Override
    public int status(FileStatus into) {
      int errno = SitePortableFiles.status(path, into, LinkOption.NOFOLLOW_LINKS);
      try {
        // Since the path may refer to another file by now, at least compares the size with the open
        // file.
        if (errno == 0 && channel != null && channel.size() != into.sizeBytes) {
          return -Errno.ESTALE;
        }
      } catch (IOException e) {
        return -errno(e);
      }
      return errno;
    }

    @Override
    public int read(MemorySegment target, long offset, int length, long position) {
      if (channel == null) {
        return -Errno.EISDIR;
      }
      try {
        return Math.max(0, channel.read(target.asSlice(offset, length).asByteBuffer(), position));
      } catch (IOException e) {
        return -errno(e);
      }
    }

    @Override
    public void settle() {}

    @Override
    public void close() {
      try {
        if (channel != null) {
          channel.close();
        }
      } catch (IOException e) {
        throw new UncheckedIOException("close of " + path, e);
      }
    }
  }
}
