package sluice.fs.provider;

import java.io.IOException;
import java.net.URI;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileNames;

/// A path of a [TreeFileSystem]. Paths are stored as bytes in order to preserve names that are not
/// valid UTF-8. Instances are immutable and thread-safe.
///
/// The current directory is the root, so `a` and the empty path are resolved against the root.
final class TreePath implements Path {
  private final TreeFileSystem fileSystem;
  private final byte[] path;
  private final int[] offsets;

  /// Creates a path.
  ///
  /// @param path the bytes, which were normalized by [PathBytes] and must not be modified
  ///   afterwards
  TreePath(TreeFileSystem fileSystem, byte[] path) {
    this.fileSystem = fileSystem;
    this.path = path;
    offsets = PathBytes.offsets(path);
  }

  /// Casts a path to a [TreePath].
  ///
  /// @throws ProviderMismatchException if the path belongs to another provider
  static TreePath of(@Nullable Path path) {
    if (Objects.requireNonNull(path) instanceof TreePath own) {
      return own;
    }
    throw new ProviderMismatchException(path + " belongs to another provider");
  }

  private TreePath with(byte[] other) {
    return new TreePath(fileSystem, other);
  }

  /// Returns the bytes of this path, which must not be modified.
  byte[] bytes() {
    return path;
  }

  byte[] name(int index) {
    int end = index + 1 < offsets.length ? offsets[index + 1] - 1 : path.length;
    return Arrays.copyOfRange(path, offsets[index], end);
  }

  List<byte[]> names() {
    List<byte[]> names = new ArrayList<>(offsets.length);
    for (int i = 0; i < offsets.length && path.length > 0; i++) {
      names.add(name(i));
    }
    return names;
  }

  TreePath child(byte[] name) {
    return with(PathBytes.resolve(path, name));
  }

  @Override
  public TreeFileSystem getFileSystem() {
    return fileSystem;
  }

  @Override
  public boolean isAbsolute() {
    return PathBytes.isAbsolute(path);
  }

  @Override
  public @Nullable TreePath getRoot() {
    return isAbsolute() ? with(PathBytes.ROOT) : null;
  }

  @Override
  public @Nullable TreePath getFileName() {
    return switch (offsets.length) {
      case 0 -> null;
      case 1 -> isAbsolute() ? with(name(0)) : this;
      default -> with(name(offsets.length - 1));
    };
  }

  @Override
  public @Nullable TreePath getParent() {
    if (offsets.length == 0) {
      return null;
    }
    if (offsets.length == 1) {
      return getRoot();
    }
    return with(Arrays.copyOf(path, offsets[offsets.length - 1] - 1));
  }

  @Override
  public int getNameCount() {
    return offsets.length;
  }

  @Override
  public TreePath getName(int index) {
    if (index < 0 || index >= offsets.length) {
      throw new IllegalArgumentException("name " + index + " of " + offsets.length);
    }
    return with(name(index));
  }

  @Override
  public TreePath subpath(int beginIndex, int endIndex) {
    if (beginIndex < 0 || beginIndex >= endIndex || endIndex > offsets.length) {
      throw new IllegalArgumentException(
          "names " + beginIndex + " to " + endIndex + " of " + offsets.length);
    }
    int end = endIndex < offsets.length ? offsets[endIndex] - 1 : path.length;
    return with(Arrays.copyOfRange(path, offsets[beginIndex], end));
  }

  /// Returns the other path as a [TreePath], or null if it belongs to another file system or is too
  /// long to be a prefix or suffix of this path.
  private @Nullable TreePath comparable(Path other) {
    return Objects.requireNonNull(other) instanceof TreePath own
            && own.fileSystem == fileSystem
            && own.offsets.length <= offsets.length
            && (own.path.length == 0) == (path.length == 0)
        ? own
        : null;
  }

  @Override
  public boolean startsWith(Path other) {
    TreePath start = comparable(other);
    if (start == null || start.isAbsolute() != isAbsolute()) {
      return false;
    }
    int n = start.path.length;
    boolean same = n <= path.length && Arrays.equals(path, 0, n, start.path, 0, n);
    return same && (n == path.length || (n == 1 && isAbsolute()) || path[n] == '/');
  }

  @Override
  public boolean endsWith(Path other) {
    TreePath end = comparable(other);
    if (end == null) {
      return false;
    }
    if (end.isAbsolute() || end.path.length == path.length) {
      return Arrays.equals(path, end.path);
    }
    int from = path.length - end.path.length;
    return from > 0
        && path[from - 1] == '/'
        && Arrays.equals(path, from, path.length, end.path, 0, end.path.length);
  }

  @Override
  public TreePath normalize() {
    List<byte[]> kept = new ArrayList<>(offsets.length);
    for (byte[] name : names()) {
      boolean up = FileNames.isDotDot(name);
      if (up && !kept.isEmpty() && !FileNames.isDotDot(kept.getLast())) {
        kept.removeLast();
      } else if (!FileNames.isDot(name) && !(up && isAbsolute() && kept.isEmpty())) {
        kept.add(name);
      }
    }
    return kept.size() == offsets.length ? this : with(PathBytes.join(isAbsolute(), kept));
  }

  @Override
  public TreePath resolve(Path other) {
    TreePath own = of(other);
    return own.isAbsolute() ? own : with(PathBytes.resolve(path, own.path));
  }

  private boolean hasDots() {
    return names().stream().anyMatch(name -> FileNames.isDots(name));
  }

  @Override
  public TreePath relativize(Path other) {
    TreePath child = of(other);
    if (child.isAbsolute() != isAbsolute()) {
      throw new IllegalArgumentException("one of " + this + " and " + other + " is absolute");
    }
    if (path.length == 0) {
      return child;
    }
    boolean dots = hasDots() || child.hasDots();
    List<byte[]> from = (dots ? normalize() : this).names();
    List<byte[]> to = (dots ? child.normalize() : child).names();
    int same = 0;
    while (same < Math.min(from.size(), to.size()) && Arrays.equals(from.get(same), to.get(same))) {
      same++;
    }
    List<byte[]> names = new ArrayList<>();
    for (byte[] left : from.subList(same, from.size())) {
      if (FileNames.isDotDot(left)) {
        throw new IllegalArgumentException("no relative path from " + this + " to " + other);
      }
      names.add(new byte[] {'.', '.'});
    }
    names.addAll(to.subList(same, to.size()));
    return with(PathBytes.join(false, names));
  }

  @Override
  public URI toUri() {
    return fileSystem.uri(toAbsolutePath().path);
  }

  @Override
  public TreePath toAbsolutePath() {
    return isAbsolute() ? this : with(PathBytes.resolve(PathBytes.ROOT, path));
  }

  @Override
  public TreePath toRealPath(LinkOption... options) throws IOException {
    boolean follow = PathWalk.follows(options);
    return fileSystem.call(this, () -> with(fileSystem.walk().real(toAbsolutePath(), follow)));
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
    Objects.requireNonNull(watcher);
    throw new UnsupportedOperationException("files of this file system are not watched");
  }

  @Override
  public int compareTo(Path other) {
    return Arrays.compareUnsigned(path, ((TreePath) other).path);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TreePath own
        && own.fileSystem == fileSystem
        && Arrays.equals(own.path, path);
  }

  @Override
  public int hashCode() {
    return 31 * System.identityHashCode(fileSystem) + Arrays.hashCode(path);
  }

  @Override
  public String toString() {
    return PathBytes.text(path);
  }
}
