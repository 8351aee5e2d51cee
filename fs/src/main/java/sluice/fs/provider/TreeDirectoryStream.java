package sluice.fs.provider;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.ClosedDirectoryStreamException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.sys.Errno;

/// An open directory. It lists the names in the directory, and gives access to files relative to
/// the directory even if the path of the directory changes. This class is thread-safe, but there is
/// only one iterator.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | cookie, read, ended | the iterating thread | under lock | under lock |
/// | released | the closing thread | under lock | under lock |
final class TreeDirectoryStream implements SecureDirectoryStream<Path>, PathAt.Base {
  /// The number of names that are read at a time.
  private static final int BATCH = 128;

  private final TreePath path;
  private final TreeFileSystem fileSystem;
  private final long inode;
  private final DirectoryStream.Filter<? super Path> filter;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean iterated = new AtomicBoolean();
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<byte[]> read = new ArrayDeque<>();
  private long cookie;
  private boolean ended;
  private boolean released;

  private TreeDirectoryStream(
      TreePath path, long inode, DirectoryStream.Filter<? super Path> filter) {
    this.path = path;
    this.inode = inode;
    this.filter = filter;
    fileSystem = path.getFileSystem();
  }

  /// Opens a directory.
  ///
  /// @param shown the path against which the names are resolved
  static TreeDirectoryStream open(
      PathAt place, TreePath shown, boolean follow, DirectoryStream.Filter<? super Path> filter)
      throws IOException {
    TreeFileSystem fs = place.fileSystem();
    return fs.call(
        place.path(),
        () -> {
          FileTree tree = fs.tree();
          long inode = place.inode(follow);
          if (!tree.attributes(inode).isDirectory()) {
            throw ErrnoExceptions.refuse(Errno.ENOTDIR);
          }
          if (tree.access(fs.caller(), inode, FileTree.READ) == 0) {
            throw ErrnoExceptions.refuse(Errno.EACCES);
          }
          tree.retain(inode);
          TreeDirectoryStream stream = new TreeDirectoryStream(shown, inode, filter);
          fs.opened(stream);
          return stream;
        });
  }

  @Override
  public long inode() {
    if (closed.get()) {
      throw new ClosedDirectoryStreamException();
    }
    return inode;
  }

  @Override
  public void close() throws IOException {
    closed.set(true);
    lock.lock(); // a closing file system waits here for a thread that closes this stream
    try {
      if (!released) {
        released = true;
        fileSystem.tree().release(inode);
      }
    } finally {
      lock.unlock();
      fileSystem.closed(this);
    }
  }

  // ---- names ------------------------------------------------------------------------------------

  @Override
  public Iterator<Path> iterator() {
    if (closed.get() || !iterated.compareAndSet(false, true)) {
      throw new IllegalStateException("a directory stream is iterated once, while it is open");
    }
    return new Names();
  }

  private final class Names implements Iterator<Path> {
    private @Nullable Path next;

    @Override
    public synchronized boolean hasNext() {
      if (next == null) {
        next = nextAccepted();
      }
      return next != null;
    }

    @Override
    public synchronized Path next() {
      Path result = next == null ? nextAccepted() : next;
      next = null;
      if (result == null) {
        throw new NoSuchElementException();
      }
      return result;
    }
  }

  private @Nullable Path nextAccepted() {
    try {
      byte[] name = nextName();
      while (name != null) {
        Path entry = path.child(name);
        if (filter.accept(entry)) {
          return entry;
        }
        name = nextName();
      }
      return null;
    } catch (IOException e) {
      throw new DirectoryIteratorException(e);
    }
  }

  /// Returns the next name, or null if the end was reached or the stream is closed.
  private byte @Nullable [] nextName() throws IOException {
    lock.lock();
    try {
      if (closed.get()) {
        return null;
      }
      if (read.isEmpty() && !ended) {
        ended = fileSystem.call(path, () -> fileSystem.tree().list(inode, cookie, this::take));
      }
      return read.poll();
    } finally {
      lock.unlock();
    }
  }

  private boolean take(long child, sluice.fs.FileKind kind, byte[] name, long next) {
    if (read.size() == BATCH) {
      return false;
    }
    cookie = next;
    if (!FileNames.isDot(name) && !FileNames.isDotDot(name)) {
      read.add(name);
    }
    return true;
  }

  // ---- files below ------------------------------------------------------------------------------

  private PathAt below(Path relative) {
    long open = inode(); // throws if closed
    assert open != 0;
    return new PathAt(TreePath.of(relative), this);
  }

  @Override
  public SecureDirectoryStream<Path> newDirectoryStream(Path relative, LinkOption... options)
      throws IOException {
    PathAt place = below(relative);
    return open(place, path.resolve(relative), PathWalk.follows(options), _ -> true);
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path relative, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return FileOpener.open(below(relative), OpenMode.of(options), attributes);
  }

  @Override
  public void deleteFile(Path relative) throws IOException {
    Changes.deleteFile(below(relative));
  }

  @Override
  public void deleteDirectory(Path relative) throws IOException {
    Changes.deleteDirectory(below(relative));
  }

  @Override
  public void move(Path from, SecureDirectoryStream<Path> to, Path target) throws IOException {
    if (!(java.util.Objects.requireNonNull(to) instanceof TreeDirectoryStream directory)) {
      throw new ProviderMismatchException("a directory of another provider");
    }
    Changes.rename(below(from), directory.below(target));
  }

  @Override
  public <V extends FileAttributeView> @Nullable V getFileAttributeView(Class<V> type) {
    return AttributeView.of(new PathAt(fileSystem.path(PathBytes.EMPTY), this), type, true);
  }

  @Override
  public <V extends FileAttributeView> @Nullable V getFileAttributeView(
      Path relative, Class<V> type, LinkOption... options) {
    return AttributeView.of(below(relative), type, PathWalk.follows(options));
  }
}
