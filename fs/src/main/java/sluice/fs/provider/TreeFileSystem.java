package sluice.fs.provider;

import java.io.IOException;
import java.net.URI;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.FsException;

/// A `java.nio.file` file system that is backed by a [FileTree]. This class is thread-safe. Closing
/// the file system waits for operations that are in progress.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | open | the thread that closes first | volatile | under the write lock of gate |
final class TreeFileSystem extends FileSystem {
  static final Set<String> VIEWS = Set.of("basic", "posix", "owner", "unix", "user");

  private final FileSystemProvider provider;
  private final Consumer<TreeFileSystem> onClosed;
  private final Image image;
  private final FileTree tree;
  private final PathWalk walk;
  private final OpenFiles files;
  private final TransferBuffer.Pool scratches = new TransferBuffer.Pool();
  private final TreePath root = new TreePath(this, PathBytes.ROOT);

  /// The open channels and directory streams, which are closed together with the file system.
  private final Set<AutoCloseable> users = ConcurrentHashMap.newKeySet();

  /// A lock that is held in shared mode by operations and in exclusive mode by the thread that
  /// closes the file system.
  private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();

  private volatile boolean open = true;

  /// Creates a file system.
  ///
  /// @param onClosed an action that is invoked once, after the file system has been closed
  TreeFileSystem(FileSystemProvider provider, Image image, Consumer<TreeFileSystem> onClosed) {
    this.provider = provider;
    this.onClosed = onClosed;
    this.image = image;
    tree = image.tree();
    walk = new PathWalk(tree, image.caller());
    files = new OpenFiles(tree);
  }

  // ---- for the package --------------------------------------------------------------------------

  FileTree tree() {
    return tree;
  }

  Caller caller() {
    return image.caller();
  }

  PathWalk walk() {
    return walk;
  }

  OpenFiles files() {
    return files;
  }

  TransferBuffer scratch() throws IOException {
    return scratches.take();
  }

  URI uri(byte[] inside) {
    return PathUris.of(image.name(), inside);
  }

  String imageName() {
    return image.name();
  }

  /// Begins an operation. The file system cannot be closed until [#leave] is called.
  ///
  /// @throws ClosedFileSystemException if the file system is closed
  void enter() {
    gate.readLock().lock();
    if (!open) {
      gate.readLock().unlock();
      throw new ClosedFileSystemException();
    }
  }

  void leave() {
    gate.readLock().unlock();
  }

  /// An operation on the tree that returns a result.
  @FunctionalInterface
  interface Work<T extends @Nullable Object> {
    T run() throws IOException;
  }

  /// An operation on the tree that does not return a result.
  @FunctionalInterface
  interface Action {
    void run() throws IOException;
  }

  <T extends @Nullable Object> T call(TreePath path, Work<T> work) throws IOException {
    return call(path, null, work);
  }

  /// Runs an operation and converts errors of the tree to exceptions of `java.nio.file`.
  <T extends @Nullable Object> T call(TreePath path, @Nullable TreePath other, Work<T> work)
      throws IOException {
    enter();
    try {
      return work.run();
    } catch (FsException e) {
      throw ErrnoExceptions.of(e, path, other);
    } finally {
      leave();
    }
  }

  void run(TreePath path, Action action) throws IOException {
    enter();
    try {
      action.run();
    } catch (FsException e) {
      throw ErrnoExceptions.of(e, path, null);
    } finally {
      leave();
    }
  }

  /// Registers an object that is to be closed together with the file system. Must be called in an
  /// operation.
  void opened(AutoCloseable user) {
    users.add(user);
  }

  void closed(AutoCloseable user) {
    users.remove(user);
  }

  // ---- FileSystem -------------------------------------------------------------------------------

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  /// Closes all channels and directory streams, waits for operations in progress, makes all changes
  /// durable, and closes the image. This method is idempotent.
  @Override
  public void close() throws IOException {
    gate.writeLock().lock();
    try {
      if (!open) {
        return;
      }
      open = false;
    } finally {
      gate.writeLock().unlock();
    }
    IOException failure = null;
    for (AutoCloseable user : users) {
      failure = closed(user, failure);
    }
    scratches.close();
    failure = closed(image, failure);
    onClosed.accept(this);
    if (failure != null) {
      throw failure;
    }
  }

  private static @Nullable IOException closed(AutoCloseable what, @Nullable IOException failure) {
    try {
      what.close();
      return failure;
    } catch (Exception e) {
      IOException first = failure == null ? new IOException("closing failed: " + e, e) : failure;
      if (failure != null) {
        failure.addSuppressed(e);
      }
      return first;
    }
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isReadOnly() {
    return image.readOnly();
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of(root);
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of(new TreeFileStore(this));
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return VIEWS;
  }

  @Override
  public TreePath getPath(String first, String... more) {
    StringBuilder joined = new StringBuilder(first);
    for (String part : more) {
      if (!part.isEmpty()) {
        joined.append(joined.isEmpty() ? "" : "/").append(part);
      }
    }
    return new TreePath(this, PathBytes.of(joined.toString()));
  }

  TreePath path(byte[] cleaned) {
    return new TreePath(this, cleaned);
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    return Globs.matcher(syntaxAndPattern);
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    return Principal.LOOKUP;
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException("files of this file system are not watched");
  }

  @Override
  public String toString() {
    return image.name() + (open ? "" : " (closed)");
  }
}
