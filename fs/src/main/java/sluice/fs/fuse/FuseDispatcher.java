package sluice.fs.fuse;

import java.io.IOException;
import sluice.fs.FsException;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// Dispatches messages to their handlers. For all transports, the request and the reply are
/// contained in the exchange. Instances are confined to one worker.
final class FuseDispatcher {
  private static final int NO_REPLY = -1;

  private final FuseSession session;
  private final FuseExchange x;
  private final FuseAttributes attributes;
  private final FuseXattrs xattrs;
  private final FuseNames names;
  private final FuseDirectories directories;
  private final FuseFiles files;

  FuseDispatcher(FuseExchange exchange) {
    session = exchange.session;
    x = exchange;
    attributes = new FuseAttributes(x);
    xattrs = new FuseXattrs(x);
    names = new FuseNames(x, attributes);
    directories = new FuseDirectories(x, attributes);
    files = new FuseFiles(x);
  }

  /// Handles a request that was accepted.
  ///
  /// @return false if the request has no reply
  boolean answer() {
    x.told = 0;
    x.slow = false;
    x.reply.begin(x.request.unique());
    int errno = outcome(x.request.opcode());
    if (errno > 0) {
      x.reply.fail(errno);
    }
    return errno != NO_REPLY;
  }

  /// Reverts the lookup counts of a reply that was not accepted by the kernel.
  void lost() {
    int opcode = x.request.opcode();
    try {
      if (x.told != 0) {
        x.forget(x.nodes.swap(x.told), 1);
      } else if (opcode == FuseOpcode.READDIRPLUS) {
        directories.untell();
      }
    } catch (IOException e) {
      session.report(opcode, x.inode(), e);
    }
  }

  /// Handles a request and converts exceptions to error numbers.
  ///
  /// @return 0, a positive errno, or [#NO_REPLY]
  private int outcome(int opcode) {
    try {
      return session.closing() ? failed(opcode, Errno.EIO) : answer(opcode);
    } catch (FsException e) {
      if (e.errno() == Errno.EIO || e.errno() == Errno.EUCLEAN) {
        session.report(opcode, x.inode(), e);
      }
      return failed(opcode, e.errno());
    } catch (IOException e) {
      session.report(opcode, x.inode(), e);
      return failed(opcode, e instanceof SysException s ? s.errno() : Errno.EIO);
    } catch (RuntimeException | Error e) {
      session.report(opcode, x.inode(), e);
      return failed(opcode, Errno.EIO);
    }
  }

  private static int failed(int opcode, int errno) {
    return opcode == FuseOpcode.FORGET || opcode == FuseOpcode.BATCH_FORGET ? NO_REPLY : errno;
  }

  private int answer(int opcode) throws IOException {
    switch (opcode) {
      case FuseOpcode.GETATTR -> attributes.get();
      case FuseOpcode.LOOKUP -> names.lookup();
      case FuseOpcode.READ -> files.read();
      case FuseOpcode.FORGET, FuseOpcode.BATCH_FORGET -> {
        forget(opcode == FuseOpcode.BATCH_FORGET);
        return NO_REPLY;
      }
      case FuseOpcode.OPEN -> {
        return files.open(FuseOpcode.NO_OPEN_SUPPORT, x.openFlags());
      }
      case FuseOpcode.OPENDIR -> {
        boolean kept = session.remembers();
        int flags = kept ? FuseOpcode.FOPEN_KEEP_CACHE | FuseOpcode.FOPEN_CACHE_DIR : 0;
        return files.open(FuseOpcode.NO_OPENDIR_SUPPORT, flags);
      }
      case FuseOpcode.RELEASE, FuseOpcode.RELEASEDIR -> {}
      case FuseOpcode.NOTIFY_REPLY -> {
        return NO_REPLY;
      }
      case FuseOpcode.STATX -> attributes.statx();
      case FuseOpcode.STATFS -> files.status();
      case FuseOpcode.INIT -> session.init(x.request, x.reply);
      default -> {
        return answerSlowly(opcode);
      }
    }
    return 0;
  }

  /// Handles requests that may wait for the journal, a device or a lock.
  private int answerSlowly(int opcode) throws IOException {
    x.slow();
    switch (opcode) {
      case FuseOpcode.WRITE -> files.write();
      case FuseOpcode.READDIR -> directories.read(false);
      case FuseOpcode.READDIRPLUS -> directories.read(true);
      case FuseOpcode.CREATE -> names.create();
      case FuseOpcode.SETATTR -> attributes.set();
      case FuseOpcode.READLINK -> names.readLink();
      case FuseOpcode.SYMLINK -> names.symlink();
      case FuseOpcode.MKNOD -> names.mknod();
      case FuseOpcode.MKDIR -> names.mkdir();
      case FuseOpcode.UNLINK -> names.unlink();
      case FuseOpcode.RMDIR -> names.rmdir();
      case FuseOpcode.RENAME -> names.rename();
      case FuseOpcode.RENAME2 -> names.rename2();
      case FuseOpcode.LINK -> names.link();
      case FuseOpcode.FSYNC, FuseOpcode.FSYNCDIR -> files.sync();
      case FuseOpcode.SYNCFS -> session.syncAll();
      case FuseOpcode.DESTROY -> session.destroy();
      case FuseOpcode.FLUSH -> {
        return session.unflushed.closing(x.inode());
      }
      case FuseOpcode.FALLOCATE -> files.allocate();
      case FuseOpcode.LSEEK -> files.seek();
      case FuseOpcode.GETXATTR -> xattrs.get();
      case FuseOpcode.LISTXATTR -> xattrs.list();
      case FuseOpcode.SETXATTR -> xattrs.set();
      case FuseOpcode.REMOVEXATTR -> xattrs.remove();
      case FuseOpcode.ACCESS -> {
        return attributes.access();
      }
      default -> {
        // This includes INTERRUPT because every operation completes quickly, and COPY_FILE_RANGE
        // because the kernel can perform it equally well. The kernel does not send these requests
        // again.
        return Errno.ENOSYS;
      }
    }
    return 0;
  }

  private void forget(boolean batch) throws IOException {
    FuseRequest request = x.request;
    if (!batch) {
      request.require(FuseLayout.FORGET_BYTES);
      x.forget(request.node(), request.longAt(0));
      return;
    }
    request.require(FuseLayout.BATCH_FORGET_BYTES);
    long count = Integer.toUnsignedLong(request.intAt(0));
    int room = (request.bodyBytes() - FuseLayout.BATCH_FORGET_BYTES) / FuseLayout.FORGET_ONE_BYTES;
    int at = FuseLayout.BATCH_FORGET_BYTES;
    for (long i = 0; i < Math.min(count, room); i++) {
      x.forget(request.longAt(at), request.longAt(at + 8));
      at += FuseLayout.FORGET_ONE_BYTES;
    }
  }
}
