package sluice.host.disk.copy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.host.text.TerminalText;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.AttributeCalls;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Statx;

/// Copies the content of files to and from an image. Instances are confined to the thread of the
/// command.
public final class ImageCopy implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 20;

  private final FileTree tree;
  private final Step step;
  private final byte[] bytes = new byte[BUFFER_BYTES];
  private final Block block;
  private final Memory memory;
  private long done;
  private String unfinished = "";

  /// A callback that is invoked between two chunks of data.
  public interface Step {
    /// Invoked after each chunk of data has been copied.
    ///
    /// @param done the number of bytes that have been copied
    /// @throws IOException to abort the copying
    void after(long done) throws IOException;
  }

  public ImageCopy(FileTree tree, Step step) throws IOException {
    this.tree = tree;
    this.step = step;
    Block made = Block.allocate(new Account("copy", BUFFER_BYTES), BUFFER_BYTES);
    if (made == null) {
      throw new IOException("no memory for a buffer of " + BUFFER_BYTES + " bytes");
    }
    block = made;
    memory = Memory.over(block, 0, BUFFER_BYTES);
  }

  /// Copies a file of the image to a stream.
  public void read(long inode, OutputStream out) throws IOException {
    long at = 0;
    int count = tree.read(inode, at, memory, 0, BUFFER_BYTES);
    while (count > 0) {
      memory.copyTo(0, bytes, 0, count);
      out.write(bytes, 0, count);
      at += count;
      count(count);
      count = tree.read(inode, at, memory, 0, BUFFER_BYTES);
    }
  }

  /// Copies a file of the image to an empty file of this machine. Holes are preserved.
  public void read(long inode, int fd, Path target) throws IOException {
    unfinished = target.toString();
    long length = tree.attributes(inode).sizeBytes();
    for (long at = next(inode, 0, false); at >= 0; at = next(inode, at, false)) {
      long end = next(inode, at, true);
      while (at < end) {
        int wanted = (int) Math.min(BUFFER_BYTES, end - at);
        int count = tree.read(inode, at, memory, 0, wanted);
        if (count == 0) {
          throw new IOException(
              TerminalText.line(target.toString()) + ": the file in the image has become shorter");
        }
        writeAll(fd, target, at, count);
        at += count;
        count(count);
      }
    }
    HostSystemCalls.check(Files.ftruncate(fd, length), "ftruncate", target);
    unfinished = "";
  }

  /// Returns the position of the next data or the next hole of a file, or -1 after its end.
  private long next(long inode, long position, boolean hole) throws IOException {
    try {
      return tree.seek(inode, position, hole);
    } catch (FsException e) {
      if (e.errno() == Errno.ENXIO) {
        return -1;
      }
      throw e;
    }
  }

  private void writeAll(int fd, Path target, long position, int count) throws IOException {
    for (int done = 0; done < count; ) {
      int n = Files.pwrite(fd, block.segment(), done, count - done, position + done);
      done += n == -Errno.EINTR ? 0 : HostSystemCalls.check(n, "pwrite", target);
    }
  }

  /// Copies a file of this machine to an empty file of the image. Holes are preserved.
  ///
  /// @param length the length of the source, or 0 if it is not known, as in `/proc`
  void write(int fd, Path source, long length, long inode) throws IOException {
    unfinished = "the copy of " + source;
    long at = 0;
    long end = 0;
    while (at == end) {
      // On a file system that does not report holes, the whole file consists of data.
      long data = length == 0 ? at : AttributeCalls.seek(fd, at, false);
      if (data == -Errno.ENXIO) {
        break;
      }
      at = Math.max(at, data);
      long hole = length == 0 || data < 0 ? -1 : AttributeCalls.seek(fd, at, true);
      end = hole < 0 ? Long.MAX_VALUE : hole;
      at = writeData(fd, source, at, end, inode);
    }
    Statx now = new Statx();
    HostSystemCalls.check(Files.statx(fd, Statx.STATX_BASIC_STATS, now), "statx", source);
    long wanted = Math.min(length, now.size());
    if (tree.attributes(inode).sizeBytes() < wanted) {
      tree.setAttributes(Caller.ROOT, inode, AttributeChange.NONE.withSize(wanted));
    }
    unfinished = "";
  }

  /// Copies a range of data.
  ///
  /// @return the end of the copied data, which is before `end` only at the end of the file
  private long writeData(int fd, Path source, long from, long end, long inode) throws IOException {
    long at = from;
    while (at < end) {
      int wanted = (int) Math.min(BUFFER_BYTES, end - at);
      int count = Files.pread(fd, block.segment(), 0, wanted, at);
      if (count == -Errno.EINTR) {
        continue;
      }
      if (HostSystemCalls.check(count, "pread", source) == 0) {
        return at;
      }
      int written = 0;
      while (written < count) {
        written += tree.write(Caller.ROOT, inode, at + written, memory, written, count - written);
      }
      at += count;
      count(count);
    }
    return at;
  }

  /// Prepares for the next file.
  void begin() throws IOException {
    unfinished = "";
    count(0);
  }

  /// Returns the name of the file that is being written, or an empty string between two files.
  public String unfinished() {
    return unfinished;
  }

  /// Counts the copied bytes and invokes the callback.
  private void count(int more) throws IOException {
    done += more;
    step.after(done);
  }

  @Override
  public void close() {
    memory.close();
    block.release();
  }
}
