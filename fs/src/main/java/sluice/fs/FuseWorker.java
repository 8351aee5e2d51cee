package sluice.fs;

import java.io.IOException;
import sluice.memory.Account;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PollFds;
import sluice.sys.SysException;

/// Answers the kernel's messages, one after another. Runs in a thread of its own, which blocks in
/// the device until there is one.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | busy | its thread | volatile | volatile |
final class FuseWorker implements Runnable {
  private static final int NO_REPLY = -1;

  /// Messages between two looks at what waits, and looks that must have found something.
  private static final int LOOK = 32;

  private static final int MUCH = 4;

  /// Messages after which a worker that was not needed rests.
  private static final int PATIENCE = 64;

  private final FuseSession session;
  private final int fd;
  private final FuseExchange x;
  private final FuseAttributes attributes;
  private final FuseXattrs xattrs;
  private final FuseNames names;
  private final FuseDirectories directories;
  private final FuseFiles files;

  private final PollFds poll = new PollFds(1);
  private int messages;
  private int waiting;
  private int surplus;

  /// Whether it may be using the tree: set before it looks whether it still may.
  private volatile boolean busy;

  /// @param fd of the device, closed by the worker when the connection has ended
  FuseWorker(FuseSession session, int fd, Account account) throws IOException {
    this.session = session;
    this.fd = fd;
    x = new FuseExchange(session, account);
    attributes = new FuseAttributes(x);
    xattrs = new FuseXattrs(x);
    names = new FuseNames(x, attributes);
    directories = new FuseDirectories(x, attributes);
    files = new FuseFiles(x);
  }

  boolean busy() {
    return busy;
  }

  @Override
  public void run() {
    try {
      int bytes;
      do {
        session.readers.begin();
        bytes = Files.read(fd, x.buffer.segment(), 0, FuseExchange.BUFFER_BYTES);
        session.readers.taken();
        if (bytes > 0) {
          helpIfMore();
          busy = true;
          serve(bytes);
          busy = false;
          restIfOthersDo();
        }
      } while (bytes > 0 || goesOn(-bytes));
    } finally {
      busy = false;
      session.readers.end();
      close();
      session.begun();
    }
  }

  /// Gives memory and device back; for a worker that was not started, else of its thread.
  void close() {
    x.close();
    Files.close(fd);
  }

  /// Now and then looks whether a message waits while this one is answered. Where it does each
  /// time, one reader is too few.
  private void helpIfMore() {
    messages++;
    if (messages % LOOK == 0) {
      poll.set(0, fd, PollFds.POLLIN);
      waiting = poll.poll(1, 0) > 0 ? waiting + 1 : 0;
      if (waiting >= MUCH) {
        waiting = 0;
        session.readers.call();
      }
    }
  }

  /// Leaves the messages to others when for long there were enough of them.
  private void restIfOthersDo() {
    surplus = session.readers.enough(x.slow ? 2 : 1) ? surplus + 1 : 0;
    if (surplus >= PATIENCE) {
      surplus = 0;
      session.readers.rest();
    }
  }

  /// Whether an error of reading means nothing: a message was taken back, or a signal came.
  /// Otherwise the connection has ended.
  private static boolean goesOn(int errno) {
    return errno == Errno.ENOENT || errno == Errno.EINTR || errno == Errno.EAGAIN;
  }

  private void serve(int bytes) {
    if (!x.request.accept(bytes)) {
      return;
    }
    x.told = 0;
    x.slow = false;
    x.reply.begin(x.request.unique());
    int opcode = x.request.opcode();
    int errno = outcome(opcode);
    if (errno == NO_REPLY) {
      return;
    }
    if (errno != 0) {
      x.reply.fail(errno);
    }
    int sent = x.reply.send(fd);
    if (sent < 0) {
      taken(opcode);
    } else if (opcode == FuseOpcode.INIT) {
      session.begun();
    }
  }

  /// Nobody took the answer: what it would have told is not known to the kernel.
  private void taken(int opcode) {
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

  /// @return 0, a positive errno, or [#NO_REPLY]
  private int outcome(int opcode) {
    try {
      return session.closing() ? Errno.EIO : answer(opcode);
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
        return files.open(FuseOpcode.NO_OPEN_SUPPORT, FuseOpcode.FOPEN_KEEP_CACHE);
      }
      case FuseOpcode.OPENDIR -> {
        int flags = FuseOpcode.FOPEN_KEEP_CACHE | FuseOpcode.FOPEN_CACHE_DIR;
        return files.open(FuseOpcode.NO_OPENDIR_SUPPORT, flags);
      }
      case FuseOpcode.RELEASE, FuseOpcode.RELEASEDIR, FuseOpcode.DESTROY -> {}
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

  /// What may wait for the journal, a device or a lock.
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
        // Also FLUSH, INTERRUPT and COPY_FILE_RANGE: nothing waits for a close, every operation
        // ends soon, and the kernel copies as well as we do. It does not ask again.
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
