package sluice.nfs.export;

import java.io.IOException;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Reads and writes bytes of a file that the server keeps for itself. One thread at a time.
public final class ServerFile implements AutoCloseable {
  private final FileTree tree;
  private final long inode;
  private final Block block;
  private final Memory memory;

  /// @param most bytes that are read or written at once
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

  /// @return what is there: fewer bytes at the end of the file
  public byte[] read(long position, int bytes) throws IOException {
    byte[] read = new byte[tree.read(inode, position, memory, 0, bytes)];
    memory.copyTo(0, read, 0, read.length);
    return read;
  }

  /// @throws FsException `ENOSPC` when not all of it found room
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
