package sluice.nfs.host;

import java.io.IOException;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.fs.SliceSink;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.nfs.host.HostDescriptors.Kind;
import sluice.nfs.host.HostDescriptors.Open;
import sluice.sys.Errno;
import sluice.sys.Files;

/// Reads and writes the content of host files. The data are copied through off-heap blocks, because
/// the kernel requires memory that does not move. This class is thread-safe.
final class HostContent {
  /// The maximum number of bytes per system call.
  static final int PIECE_BYTES = 1 << 20;

  private final HostDescriptors descriptors;
  private final Account account;

  /// Creates an instance for the files of one tree.
  ///
  /// @param account the account that is charged for the blocks in use
  HostContent(HostDescriptors descriptors, Account account) {
    this.descriptors = descriptors;
    this.account = account;
  }

  int read(HostFile file, long position, Memory into, long at, int count) throws IOException {
    int[] done = {0};
    return slices(
        file,
        position,
        count,
        (block, offset, bytes) -> {
          into.copyFrom(block, offset, at + done[0], bytes);
          done[0] += bytes;
        });
  }

  int slices(HostFile file, long position, int count, SliceSink sink) throws IOException {
    int done = 0;
    try (Open open = descriptors.open(file, Kind.READ)) {
      while (done < count) {
        Block block = block(Math.min(count - done, PIECE_BYTES));
        try {
          int bytes = (int) block.lengthBytes();
          int n = Files.pread(open.fd, block.segment(), 0, bytes, position + done);
          if (n == -Errno.EINTR) {
            continue;
          }
          HostCalls.check(n, "pread " + file);
          if (n == 0) {
            break;
          }
          sink.slice(block, 0, n);
          done += n;
        } finally {
          block.release();
        }
      }
    }
    return done;
  }

  int write(Caller caller, HostFile file, long position, Memory from, long at, int count)
      throws IOException {
    int done = 0;
    try (Open open = descriptors.open(file, Kind.WRITE)) {
      while (done < count) {
        Block block = block(Math.min(count - done, PIECE_BYTES));
        try {
          int bytes = (int) block.lengthBytes();
          from.copyTo(at + done, block, 0, bytes);
          done += piece(caller, file, open.fd, block, position + done);
        } catch (FsException e) {
          if (done == 0 || e.errno() != Errno.ENOSPC) {
            throw e;
          }
          return done;
        } finally {
          block.release();
        }
      }
    }
    return done;
  }

  private static int piece(Caller caller, HostFile file, int fd, Block block, long position)
      throws FsException {
    int bytes = (int) block.lengthBytes();
    return (int)
        HostCalls.as(
            caller,
            "pwrite " + file,
            () -> {
              int result = Files.pwrite(fd, block.segment(), 0, bytes, position);
              return result == -Errno.EINTR ? 0 : result;
            });
  }

  private Block block(int bytes) throws FsException {
    Block block = Block.allocate(account, bytes);
    if (block == null) {
      throw FsException.of(Errno.ENOMEM, "no room for " + bytes + " bytes: " + account);
    }
    return block;
  }
}
