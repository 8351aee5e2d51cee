package sluice.fs.provider;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.FileTree;
import sluice.fs.FsException;

/// An open file of a [TreeFileSystem]. This class is thread-safe. Operations that use the position
/// of the channel are executed one after another, and all other operations may be executed
/// concurrently. If a thread is interrupted during an operation, the channel is closed as specified
/// by [java.nio.channels.InterruptibleChannel], unless the channel belongs to a stream.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | position | its users | under positionLock | under positionLock |
/// | uses | operations; close | atomic | atomic |
///
/// Lifecycle: a channel is opened with a use count of one, and each operation increments it. After
/// the channel has been closed, the file is released when the count reaches zero, so that no
/// operation can access another file that reuses the inode number.
final class TreeFileChannel extends FileChannel {
  private final TreePath path;
  private final TreeFileSystem fileSystem;
  private final FileTree tree;
  private final OpenFiles.OpenFile file;
  private final OpenMode mode;
  private final ReentrantLock positionLock = new ReentrantLock();
  private final AtomicInteger uses = new AtomicInteger(1);
  private long position;

  /// Written only before the channel is published.
  private boolean interruptible = true;

  TreeFileChannel(TreePath path, OpenFiles.OpenFile file, OpenMode mode) {
    this.path = path;
    this.file = file;
    this.mode = mode;
    fileSystem = path.getFileSystem();
    tree = fileSystem.tree();
  }

  // ---- one operation ----------------------------------------------------------------------------

  /// Makes this channel ignore interrupts, like the streams of the JDK's own provider.
  TreeFileChannel uninterruptible() {
    interruptible = false;
    return this;
  }

  private interface Work {
    long run() throws IOException;
  }

  /// Runs an operation that is aborted when the channel is closed or the thread is interrupted.
  private long call(Work work) throws IOException {
    requireOpen();
    boolean completed = false;
    try {
      if (interruptible) {
        begin();
      }
      fileSystem.enter();
      try {
        if (!use()) {
          throw new AsynchronousCloseException();
        }
        try {
          long result = work.run();
          completed = true;
          return result;
        } finally {
          unuse(); // before the file system can be closed: this may be the last use of the file
        }
      } finally {
        fileSystem.leave();
      }
    } catch (FsException e) {
      throw ErrnoExceptions.of(e, path, null);
    } finally {
      if (interruptible) {
        end(completed);
      }
    }
  }

  /// Runs an operation that uses the position of the channel.
  private long inTurn(Work work) throws IOException {
    positionLock.lock();
    try {
      return call(work);
    } finally {
      positionLock.unlock();
    }
  }

  private boolean use() {
    int now = uses.get();
    while (now > 0) {
      if (uses.compareAndSet(now, now + 1)) {
        return true;
      }
      now = uses.get();
    }
    return false;
  }

  private void unuse() throws IOException {
    if (uses.decrementAndGet() == 0) {
      fileSystem.files().close(file);
    }
  }

  @Override
  protected void implCloseChannel() throws IOException {
    file.locks.releaseAll(this);
    try {
      unuse();
    } catch (FsException e) {
      throw ErrnoExceptions.of(e, path, null);
    } finally {
      fileSystem.closed(this); // a closing file system waits for this call
    }
  }

  private void requireOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  private void requireReadable() throws ClosedChannelException {
    requireOpen();
    if (!mode.read()) {
      throw new NonReadableChannelException();
    }
  }

  private void requireWritable() throws ClosedChannelException {
    requireOpen();
    if (!mode.write()) {
      throw new NonWritableChannelException();
    }
  }

  private static void requireNotNegative(long number, String what) {
    if (number < 0) {
      throw new IllegalArgumentException(what + " is negative: " + number);
    }
  }

  // ---- reading ----------------------------------------------------------------------------------

  private long fill(ByteBuffer target, long at) throws IOException {
    if (target.isReadOnly()) {
      throw new IllegalArgumentException("the buffer is read-only");
    }
    int wanted = target.remaining();
    long done = 0;
    try (TransferBuffer scratch = fileSystem.scratch()) {
      int bytes;
      int asked;
      do {
        asked = Math.min(target.remaining(), TransferBuffer.BYTES);
        bytes = tree.read(file.inode, at + done, scratch.memory(), 0, asked);
        target.put(scratch.buffer(bytes));
        done += bytes;
      } while (bytes == asked && target.hasRemaining());
    }
    return done == 0 && wanted > 0 ? -1 : done;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return (int) read(new ByteBuffer[] {target}, 0, 1);
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, targets.length);
    requireReadable();
    return inTurn(() -> {
      long done = 0;
      for (int i = offset; i < offset + length; i++) {
        int wanted = targets[i].remaining();
        long bytes = fill(targets[i], position);
        if (bytes > 0) {
          position += bytes;
          done += bytes;
        }
        if (bytes < wanted) {
          return done == 0 ? bytes : done;
        }
      }
      return done;
    });
  }

  @Override
  public int read(ByteBuffer target, long from) throws IOException {
    Objects.requireNonNull(target);
    requireNotNegative(from, "the position");
    requireReadable();
    return (int) call(() -> fill(target, from));
  }

  // ---- writing ----------------------------------------------------------------------------------

  /// Writes the remaining bytes of a buffer, or as many of them as fit if no space is left.
  ///
  /// @return the position after the last byte that was written
  private long drain(ByteBuffer source, long at) throws IOException {
    if (!mode.append()) {
      return put(source, at);
    }
    file.append.lock();
    try {
      return put(source, tree.attributes(file.inode).sizeBytes());
    } finally {
      file.append.unlock();
    }
  }

  private long put(ByteBuffer source, long at) throws IOException {
    long end = at;
    try (TransferBuffer scratch = fileSystem.scratch()) {
      while (source.hasRemaining()) {
        int bytes = Math.min(source.remaining(), TransferBuffer.BYTES);
        scratch.buffer(bytes).put(source.slice(source.position(), bytes));
        int written = tree.write(fileSystem.caller(), file.inode, end, scratch.memory(), 0, bytes);
        source.position(source.position() + written);
        end += written;
      }
    } catch (FsException e) {
      if (end == at) {
        throw e;
      }
    }
    return end;
  }

  private void written() throws IOException {
    if (mode.synchronous()) {
      tree.sync(file.inode, mode.dataOnly());
    }
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    return (int) write(new ByteBuffer[] {source}, 0, 1);
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, sources.length);
    requireWritable();
    return inTurn(() -> {
      long done = 0;
      for (int i = offset; i < offset + length; i++) {
        int bytes = sources[i].remaining();
        position = drain(sources[i], position);
        done += bytes - sources[i].remaining();
        if (sources[i].hasRemaining()) {
          break;
        }
      }
      written();
      return done;
    });
  }

  @Override
  public int write(ByteBuffer source, long to) throws IOException {
    Objects.requireNonNull(source);
    requireNotNegative(to, "the position");
    requireWritable();
    int start = source.position();
    return (int)
        call(() -> {
          drain(source, to);
          written();
          return (long) source.position() - start;
        });
  }

  // ---- position and length ----------------------------------------------------------------------

  @Override
  public long position() throws IOException {
    return inTurn(() -> mode.append() ? tree.attributes(file.inode).sizeBytes() : position);
  }

  @Override
  public FileChannel position(long to) throws IOException {
    requireOpen();
    requireNotNegative(to, "the position");
    inTurn(() -> position = to);
    return this;
  }

  @Override
  public long size() throws IOException {
    return call(() -> tree.attributes(file.inode).sizeBytes());
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    requireOpen();
    requireNotNegative(size, "the size");
    requireWritable();
    inTurn(() -> {
      if (size < tree.attributes(file.inode).sizeBytes()) {
        AttributeChange cut = AttributeChange.NONE.withSizeOfOpened(size);
        tree.setAttributes(fileSystem.caller(), file.inode, cut);
        written();
      }
      position = Math.min(position, size);
      return 0;
    });
    return this;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    call(() -> {
      tree.sync(file.inode, !metaData);
      return 0;
    });
  }

  // ---- between channels -------------------------------------------------------------------------

  @Override
  public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
    requireOpen();
    if (!target.isOpen()) {
      throw new ClosedChannelException();
    }
    requireReadable();
    requireNotNegative(from, "the position");
    requireNotNegative(count, "the count");
    long done = 0;
    // The target is written outside of the operation because the write may block indefinitely.
    try (TransferBuffer scratch = fileSystem.scratch()) {
      while (done < count) {
        int wanted = (int) Math.min(count - done, TransferBuffer.BYTES);
        long at = from + done;
        int bytes = (int) call(() -> tree.read(file.inode, at, scratch.memory(), 0, wanted));
        int written = bytes == 0 ? 0 : target.write(scratch.buffer(bytes));
        done += written;
        if (bytes < wanted || written < bytes) {
          break;
        }
      }
    } catch (IOException e) {
      if (done == 0 || !isOpen()) {
        throw e;
      }
    }
    return done;
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long to, long count) throws IOException {
    requireOpen();
    if (!source.isOpen()) {
      throw new ClosedChannelException();
    }
    requireWritable();
    requireNotNegative(to, "the position");
    requireNotNegative(count, "the count");
    long done = 0;
    try (TransferBuffer scratch = fileSystem.scratch()) {
      while (done < count) {
        int wanted = (int) Math.min(count - done, TransferBuffer.BYTES);
        ByteBuffer piece = scratch.buffer(wanted);
        int bytes = source.read(piece);
        if (bytes <= 0) {
          break;
        }
        long at = to + done;
        // drain copies the bytes through a second transfer buffer.
        call(() -> drain(piece.flip(), at));
        done += bytes - piece.remaining();
        if (piece.hasRemaining()) {
          break;
        }
      }
    } catch (IOException e) {
      if (done == 0 || !isOpen()) {
        throw e;
      }
    }
    if (done > 0) {
      call(() -> {
        written();
        return 0;
      });
    }
    return done;
  }

  // ---- locks and maps ---------------------------------------------------------------------------

  @Override
  public FileLock lock(long from, long size, boolean shared) throws IOException {
    requireOpen();
    if (shared) {
      requireReadable();
    } else {
      requireWritable();
    }
    long bytes = size == 0 ? Long.MAX_VALUE - Math.max(0, from) : size;
    FileLock lock = file.locks.lock(this, from, bytes, shared);
    if (!isOpen()) {
      file.locks.releaseAll(this);
      throw new ClosedChannelException();
    }
    return lock;
  }

  /// Acquires a lock like [#lock]. An overlapping lock is always held by this JVM, so this method
  /// never needs to wait.
  @Override
  public @Nullable FileLock tryLock(long from, long size, boolean shared) throws IOException {
    return lock(from, size, shared);
  }

  /// Maps a copy of the current content. Writing to the file through the mapping is not supported.
  ///
  /// @throws UnsupportedOperationException for [java.nio.channels.FileChannel.MapMode#READ_WRITE]
  @Override
  public MappedByteBuffer map(MapMode how, long from, long size) throws IOException {
    if (size > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("a map of " + size + " bytes");
    }
    try (FileChannel copy = copyToMap(how, from, size)) {
      return copy.map(how, 0, size);
    }
  }

  /// Maps a copy of the current content as a segment.
  @Override
  public MemorySegment map(MapMode how, long from, long size, Arena arena) throws IOException {
    try (FileChannel copy = copyToMap(how, from, size)) {
      return copy.map(how, 0, size, arena);
    }
  }

  private FileChannel copyToMap(MapMode how, long from, long size) throws IOException {
    requireOpen();
    if (how != MapMode.READ_ONLY && how != MapMode.PRIVATE) {
      throw new UnsupportedOperationException(
          "a file of an image is not mapped " + how + "; Fix: write through the channel");
    }
    requireNotNegative(from, "the position");
    requireNotNegative(size, "the size");
    if (from + size < 0) {
      throw new IllegalArgumentException("a map of " + size + " bytes at " + from);
    }
    if (how == MapMode.PRIVATE) {
      requireWritable();
    }
    requireReadable();
    return MappedCopy.of(this, from, size);
  }
}
