package sluice.fs.fuse;

import java.io.IOException;
import sluice.memory.Account;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PollFds;

/// Reads messages from the kernel and writes replies sequentially. The worker runs in its own
/// thread, which blocks in the device until a message arrives.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | busy | its thread | volatile | volatile |
final class FuseWorker implements FuseServer {
  /// The number of messages between two checks for pending messages. [#MUCH] is the number of
  /// successive checks that must find one.
  private static final int LOOK = 32;

  private static final int MUCH = 4;

  /// The number of messages after which a surplus worker rests.
  private static final int MOST_SURPLUS = 64;

  private final FuseSession session;
  private final int fd;
  private final FuseExchange x;
  private final FuseDispatcher answers;
  private final PollFds poll = new PollFds(1);
  private int messages;
  private int waiting;
  private int surplus;

  /// True if the worker may be using the tree. It is set before the worker checks whether it is
  /// still allowed to.
  private volatile boolean busy;

  /// Creates a worker.
  ///
  /// @param fd a descriptor of the device, which is closed by the worker when the connection has
  ///   been closed
  FuseWorker(FuseSession session, int fd, Account account) throws IOException {
    this.session = session;
    this.fd = fd;
    x = new FuseExchange(session, account);
    x.device = fd;
    answers = new FuseDispatcher(x);
  }

  @Override
  public boolean busy() {
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

  @Override
  public void close() {
    x.close();
    Files.close(fd);
  }

  /// Checks periodically whether another message is pending. If this is repeatedly the case, a
  /// single reader is not sufficient, and another worker is woken.
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

  /// Rests if other readers have been sufficient for a while.
  private void restIfOthersDo() {
    surplus = session.readers.enough(x.slow ? 2 : 1) ? surplus + 1 : 0;
    if (surplus >= MOST_SURPLUS) {
      surplus = 0;
      session.readers.rest();
    }
  }

  /// Returns true if a read error is harmless because a message was withdrawn or a signal was
  /// received. All other errors mean that the connection was closed.
  private static boolean goesOn(int errno) {
    return errno == Errno.ENOENT || errno == Errno.EINTR || errno == Errno.EAGAIN;
  }

  private void serve(int bytes) {
    if (!x.request.accept(0, bytes) || !answers.answer()) {
      return;
    }
    int sent = x.reply.send(fd);
    if (sent < 0) {
      answers.lost();
    } else if (x.request.opcode() == FuseOpcode.INIT) {
      session.begun();
    }
  }
}
