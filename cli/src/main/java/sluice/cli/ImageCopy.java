package sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.memory.Account;
import sluice.memory.Block;
import sluice.memory.Memory;

/// Copies content into files of an image and out of them. Of the command's thread.
final class ImageCopy implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 20;

  private final FileTree tree;
  private final Step step;
  private final byte[] bytes = new byte[BUFFER_BYTES];
  private final Block block;
  private final Memory memory;
  private long done;

  /// What is to be done between two pieces.
  interface Step {
    /// @param done bytes copied so far
    /// @throws IOException ends the copying
    void after(long done) throws IOException;
  }

  ImageCopy(FileTree tree, Step step) throws IOException {
    this.tree = tree;
    this.step = step;
    Block made = Block.allocate(new Account("copy", BUFFER_BYTES), BUFFER_BYTES);
    if (made == null) {
      throw new IOException("no memory for a buffer of " + BUFFER_BYTES + " bytes");
    }
    block = made;
    memory = Memory.over(block, 0, BUFFER_BYTES);
  }

  /// Copies all of a file out.
  void read(long inode, OutputStream out) throws IOException {
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

  /// Fills a file that is empty.
  void write(InputStream in, long inode) throws IOException {
    long at = 0;
    int count = in.readNBytes(bytes, 0, BUFFER_BYTES);
    while (count > 0) {
      memory.copyFrom(bytes, 0, 0, count);
      int written = 0;
      while (written < count) {
        written += tree.write(Caller.ROOT, inode, at + written, memory, written, count - written);
      }
      at += count;
      count(count);
      count = in.readNBytes(bytes, 0, BUFFER_BYTES);
    }
  }

  /// Between two pieces, and two files.
  void count(int more) throws IOException {
    done += more;
    step.after(done);
  }

  @Override
  public void close() {
    memory.close();
    block.release();
  }
}
