package sluice.fs.fuse;

import java.io.IOException;
import sluice.memory.Account;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PollFds;

/// Reads the kernel's messages and writes the answers, one after another. Runs in a thread of its
/// own, which blocks in the device until there is one.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | busy | its thread | volatile | volatile |
final class FuseWorker implements FuseServer {
  /// Messages between two looks at what waits, and looks that must have found something.
  private static final int LOOK = 32;

  private static final int MUCH = 4;

  /// Messages after which a worker that was not needed rests.
  private static final int MOST_SURPLUS = 64;

  private final FuseSession session;
  private final int fd;
  private final FuseExchange x;
  private final FuseDispatcher answers;
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
    if (surplus >= MOST_SURPLUS) {
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
