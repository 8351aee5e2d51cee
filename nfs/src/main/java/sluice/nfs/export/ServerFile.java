package sluice.nfs.export;

import java.io.IOException;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// A file that the server stores for its own use. This class is not thread-safe.
public final class ServerFile implements AutoCloseable {
  private final FileTree tree;
  private final long inode;
  private final Block block;
  private final Memory memory;

  /// Opens a file.
  ///
  /// @param most the maximum number of bytes of one read or write
  public ServerFile(FileTree tree, long inode, int most) throws FsException {
    this.tree = tree;
    this.inode = inode;
    Block made = Block.allocate(new Account("nfs server's files", most), most);
    if (made == null) {
      throw FsException.of(Errno.ENOMEM, "no memory for " + most + " bytes");
    }
    block = made;
    memory = Memory.over(block, 0, most);
  }

  long inode() {
    return inode;
  }

  /// Reads bytes.
  ///
  /// @return the bytes, which are fewer than requested if the end of the file was reached
  public byte[] read(long position, int bytes) throws IOException {
    byte[] read = new byte[tree.read(inode, position, memory, 0, bytes)];
    memory.copyTo(0, read, 0, read.length);
    return read;
  }

  /// Writes bytes.
  ///
  /// @throws FsException `ENOSPC` if not all bytes could be written
  public void write(long position, byte[] bytes) throws IOException {
    memory.copyFrom(bytes, 0, 0, bytes.length);
    int written = tree.write(Caller.ROOT, inode, position, memory, 0, bytes.length);
    if (written < bytes.length) {
      throw FsException.of(Errno.ENOSPC, "no room for the server's own files");
    }
  }

  @Override
  public void close() {
    memory.close();
    block.release();
  }
}
