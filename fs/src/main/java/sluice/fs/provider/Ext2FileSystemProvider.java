package sluice.fs.provider;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.spi.FileSystemProvider;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// A `java.nio.file` provider for images of ext2 file systems and for any other [FileTree]. It uses
/// the scheme `ext2`, as in `ext2:/path/of/image!/path/inside`. This class is thread-safe.
///
/// An image is opened by `FileSystems.newFileSystem`, with the options that are listed in
/// `docs/storage.md`. Each image can be opened only once at a time. While it is open, its file
/// system can be looked up by the path of the image.
public final class Ext2FileSystemProvider extends FileSystemProvider {
  /// The open file systems. The key is the real path of the image or the name of the tree. The map
  /// is guarded by its own monitor.
  private final Map<String, TreeFileSystem> fileSystems = new HashMap<>();

  /// Creates the provider. This constructor is called by [java.util.ServiceLoader].
  public Ext2FileSystemProvider() {}

  @Override
  public String getScheme() {
    return PathUris.SCHEME;
  }

  // ---- file systems -----------------------------------------------------------------------------

  /// Opens an image or a tree.
  ///
  /// @throws FileSystemAlreadyExistsException if the image is already open
  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> given) throws IOException {
    String name = PathUris.image(uri);
    ImageOptions options = new ImageOptions(given);
    FileTree tree = options.tree();
    return tree == null
        ? open(Path.of(name), options)
        : open(name, () -> Image.of(name, tree, options));
  }

  /// Opens an existing image.
  ///
  /// @throws UnsupportedOperationException if the file is not an image of an ext2 file system
  @Override
  public FileSystem newFileSystem(Path path, Map<String, ?> options) throws IOException {
    if (path.getFileSystem() != FileSystems.getDefault() || !Image.isOne(path)) {
      throw new UnsupportedOperationException(path + " is not an image of an ext2 file system");
    }
    ImageOptions checked = new ImageOptions(options);
    if (checked.tree() != null) {
      throw new IllegalArgumentException("a tree is opened by URI, not by the path of an image");
    }
    return open(path, checked);
  }

  private FileSystem open(Path image, ImageOptions options) throws IOException {
    return open(
        realName(image),
        () -> {
          try {
            return Image.open(image, options);
          } catch (FsException e) {
            throw (IOException)
                new FileSystemException(image.toString(), null, e.getMessage()).initCause(e);
          }
        });
  }

  private interface Opener {
    Image open() throws IOException;
  }

  private FileSystem open(String name, Opener opener) throws IOException {
    synchronized (fileSystems) {
      if (fileSystems.containsKey(name)) {
        throw new FileSystemAlreadyExistsException(name + " is open");
      }
      TreeFileSystem opened = new TreeFileSystem(this, opener.open(), this::forget);
      fileSystems.put(opened.imageName(), opened);
      return opened;
    }
  }

  /// Returns the canonical name of an existing image, which is the same for all paths of the image.
  private static String realName(Path image) {
    try {
      return image.toRealPath().toString();
    } catch (IOException e) {
      return image.toAbsolutePath().normalize().toString();
    }
  }

  private void forget(TreeFileSystem fileSystem) {
    synchronized (fileSystems) {
      boolean known = fileSystems.values().remove(fileSystem);
      assert known;
    }
  }

  private @Nullable TreeFileSystem find(String name) {
    synchronized (fileSystems) {
      return fileSystems.get(name);
    }
  }

  @Override
  public TreeFileSystem getFileSystem(URI uri) {
    String name = PathUris.image(uri);
    TreeFileSystem found = find(name);
    if (found == null) {
      found = find(realName(Path.of(name)));
    }
    if (found == null) {
      throw new FileSystemNotFoundException(
          name + " is not open; Fix: call FileSystems.newFileSystem first");
    }
    return found;
  }

  @Override
  public Path getPath(URI uri) {
    byte[] inside = PathUris.inside(uri);
    return getFileSystem(uri).path(inside);
  }

  // ---- files ------------------------------------------------------------------------------------

  private static PathAt place(Path path) {
    return PathAt.of(TreePath.of(path));
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return FileOpener.open(place(path), OpenMode.of(options), attributes);
  }

  @Override
  public InputStream newInputStream(Path path, OpenOption... options) throws IOException {
    OpenMode mode = OpenMode.of(new HashSet<>(List.of(options)));
    if (mode.write()) {
      throw new UnsupportedOperationException("an input stream cannot be opened for writing");
    }
    return Channels.newInputStream(FileOpener.open(place(path), mode).uninterruptible());
  }

  @Override
  public OutputStream newOutputStream(Path path, OpenOption... options) throws IOException {
    Set<OpenOption> set = new HashSet<>(List.of(options));
    if (set.isEmpty()) {
      set.add(StandardOpenOption.CREATE);
      set.add(StandardOpenOption.TRUNCATE_EXISTING);
    } else if (set.contains(StandardOpenOption.READ)) {
      throw new IllegalArgumentException("an output stream cannot be opened for reading");
    }
    set.add(StandardOpenOption.WRITE);
    TreeFileChannel channel = FileOpener.open(place(path), OpenMode.of(set));
    return Channels.newOutputStream(channel.uninterruptible());
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
    PathAt place = place(directory);
    return TreeDirectoryStream.open(place, place.path(), true, Objects.requireNonNull(filter));
  }

  @Override
  public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
    Changes.createDirectory(place(directory), attributes);
  }

  @Override
  public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes)
      throws IOException {
    Changes.createSymbolicLink(place(link), TreePath.of(target), attributes);
  }

  /// Creates a hard link. If `existing` is a symbolic link, the hard link refers to the symbolic
  /// link itself and not to its target.
  @Override
  public void createLink(Path link, Path existing) throws IOException {
    Changes.createLink(place(link), place(existing));
  }

  @Override
  public Path readSymbolicLink(Path link) throws IOException {
    PathAt place = place(link);
    TreeFileSystem fs = place.fileSystem();
    return fs.call(
        place.path(),
        () -> {
          long inode = place.inode(false);
          if (fs.tree().attributes(inode).kind() != FileKind.SYMLINK) {
            throw new NotLinkException(link.toString());
          }
          return fs.path(PathBytes.clean(fs.tree().readLink(inode)));
        });
  }

  @Override
  public void delete(Path path) throws IOException {
    Changes.delete(place(path));
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) throws IOException {
    Copies.copy(place(source), place(target), options);
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    Copies.move(place(source), place(target), options);
  }

  // ---- queries about files ----------------------------------------------------------------------

  @Override
  public boolean isSameFile(Path one, Path other) throws IOException {
    PathAt first = place(one);
    if (one.equals(other)) {
      return true;
    }
    if (!(Objects.requireNonNull(other) instanceof TreePath second)
        || second.getFileSystem() != first.fileSystem()) {
      return false;
    }
    TreeFileSystem fs = first.fileSystem();
    long inode = fs.call(first.path(), () -> first.inode(true));
    return inode == fs.call(second, () -> PathAt.of(second).inode(true));
  }

  @Override
  public boolean isHidden(Path path) {
    TreePath name = TreePath.of(path).getFileName();
    return name != null && name.bytes().length > 0 && name.bytes()[0] == '.';
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    PathAt place = place(path);
    checkAccess(path);
    return new TreeFileStore(place.fileSystem());
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    int asked = 0;
    for (AccessMode mode : modes) {
      asked |=
          switch (mode) {
            case READ -> FileTree.READ;
            case WRITE -> FileTree.WRITE;
            case EXECUTE -> FileTree.EXECUTE;
          };
    }
    int rights = asked;
    PathAt place = place(path);
    TreeFileSystem fs = place.fileSystem();
    fs.run(
        place.path(),
        () -> {
          long inode = place.existing(true);
          boolean refused = (rights & FileTree.WRITE) != 0 && fs.isReadOnly();
          if (refused || fs.tree().access(fs.caller(), inode, rights) != rights) {
            throw ErrnoExceptions.refuse(Errno.EACCES);
          }
        });
  }

  @Override
  public boolean exists(Path path, LinkOption... options) {
    try {
      return readAttributesIfExists(path, BasicFileAttributes.class, options) != null;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public <A extends BasicFileAttributes> @Nullable A readAttributesIfExists(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    requireKnown(type);
    PathAt place = place(path);
    boolean follow = PathWalk.follows(options);
    Optional<TreeAttributes> found =
        place.fileSystem().call(place.path(), () -> find(place, follow));
    return found.isEmpty() ? null : type.cast(found.get());
  }

  private static Optional<TreeAttributes> find(PathAt place, boolean follow) throws IOException {
    FileTree tree = place.fileSystem().tree();
    try {
      FileAttributes file = place.attributes(follow);
      return Optional.of(new TreeAttributes(file, tree.status().id()));
    } catch (FsException e) {
      if (e.errno() == Errno.ENOENT || e.errno() == Errno.ESTALE) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static void requireKnown(Class<?> type) {
    if (type != BasicFileAttributes.class && type != PosixFileAttributes.class) {
      throw new UnsupportedOperationException("unsupported attributes: " + type);
    }
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    A attributes = readAttributesIfExists(path, type, options);
    if (attributes == null) {
      throw new NoSuchFileException(path.toString());
    }
    return attributes;
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
      throws IOException {
    return AttributeNames.read(place(path), names, PathWalk.follows(options));
  }

  @Override
  public void setAttribute(Path path, String name, @Nullable Object value, LinkOption... options)
      throws IOException {
    AttributeNames.set(place(path), name, value, PathWalk.follows(options));
  }

  @Override
  public <V extends FileAttributeView> @Nullable V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return AttributeView.of(place(path), type, PathWalk.follows(options));
  }
}
