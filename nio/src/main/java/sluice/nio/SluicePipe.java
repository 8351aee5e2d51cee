package sluice.nio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import sluice.sys.Epoll;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PollFds;

/// A pipe of the kernel with a channel at each end. Any thread may use either end.
final class SluicePipe extends Pipe {
  private final Source source;
  private final Sink sink;

  SluicePipe(SelectorProvider provider) throws IOException {
    int[] ends = new int[2];
    NetErrors.check(Files.pipe2(Files.O_CLOEXEC | Files.O_NONBLOCK, ends));
    source = new Source(provider, ends[0]);
    sink = new Sink(provider, ends[1]);
  }

  @Override
  public SourceChannel source() {
    return source;
  }

  @Override
  public SinkChannel sink() {
    return sink;
  }

  /// Moves bytes of one end. The holder of the direction's lock calls.
  private record PipeMover(int fd) implements ByteMover {
    @Override
    public int receive(MemorySegment segment, long offset, int length) {
      int n = Files.read(fd, segment, offset, length);
      return n == 0 && length > 0 ? EOF : n;
    }

    @Override
    public int send(MemorySegment segment, long offset, int length) {
      return Files.write(fd, segment, offset, length);
    }
  }

  private interface Transfer {
    long run();
  }

  private static boolean again(long result) {
    return result == -Errno.EAGAIN || result == -Errno.EINTR;
  }

  /// What `read` or `write` returns.
  private static long settle(long n) throws IOException {
    if (n == ByteMover.EOF) {
      return -1;
    }
    if (n >= 0 || again(n)) {
      return Math.max(0, n);
    }
    throw NetErrors.ofTransfer((int) n);
  }

  /// The end that is read. Any thread; reads exclude each other.
  static final class Source extends SourceChannel implements SluiceChannel {
    private final ChannelCore core;
    private final PipeMover mover;

    Source(SelectorProvider provider, int fd) {
      super(provider);
      core = new ChannelCore(fd);
      mover = new PipeMover(fd);
    }

    @Override
    public ChannelCore core() {
      return core;
    }

    @Override
    public int read(ByteBuffer buffer) throws IOException {
      Objects.requireNonNull(buffer);
      return (int) read(() -> BufferIo.read(mover, buffer));
    }

    @Override
    public long read(ByteBuffer[] buffers) throws IOException {
      return read(buffers, 0, buffers.length);
    }

    @Override
    public long read(ByteBuffer[] buffers, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, buffers.length);
      return read(() -> BufferIo.read(mover, buffers, offset, length));
    }

    private long read(Transfer transfer) throws IOException {
      core.reads.lock.lock();
      try {
        if (!isOpen()) {
          throw new ClosedChannelException();
        }
        if (!isBlocking()) {
          return settle(transfer.run());
        }
        long n = 0;
        begin();
        try {
          core.enterBlocking();
          try {
            n = transfer.run();
            while (again(n) && isOpen()) {
              core.reads.await(PollFds.POLLIN, -1);
              n = isOpen() ? transfer.run() : n;
            }
          } finally {
            core.leaveBlocking();
          }
        } finally {
          end(n > 0 || n == ByteMover.EOF);
        }
        return settle(n);
      } finally {
        core.reads.lock.unlock();
      }
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
      core.reads.pass(); // not in the middle of one
    }

    @Override
    protected void implCloseSelectableChannel() {
      core.close(isBlocking());
    }

    @Override
    public int eventsFor(int operations) {
      return (operations & SelectionKey.OP_READ) != 0 ? Epoll.EPOLLIN : 0;
    }

    @Override
    public int readyFor(int events, int wanted) {
      return events != 0 ? wanted & SelectionKey.OP_READ : 0;
    }
  }

  /// The end that is written. Any thread; writes exclude each other.
  static final class Sink extends SinkChannel implements SluiceChannel {
    private final ChannelCore core;
    private final PipeMover mover;

    Sink(SelectorProvider provider, int fd) {
      super(provider);
      core = new ChannelCore(fd);
      mover = new PipeMover(fd);
    }

    @Override
    public ChannelCore core() {
      return core;
    }

    @Override
    public int write(ByteBuffer buffer) throws IOException {
      Objects.requireNonNull(buffer);
      return (int) write(buffer.remaining(), () -> BufferIo.write(mover, buffer));
    }

    @Override
    public long write(ByteBuffer[] buffers) throws IOException {
      return write(buffers, 0, buffers.length);
    }

    @Override
    public long write(ByteBuffer[] buffers, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, buffers.length);
      long all = BufferIo.remaining(buffers, offset, length);
      return write(all, () -> BufferIo.write(mover, buffers, offset, length));
    }

    private long write(long all, Transfer transfer) throws IOException {
      core.writes.lock.lock();
      try {
        if (!isOpen()) {
          throw new ClosedChannelException();
        }
        if (!isBlocking()) {
          return settle(transfer.run());
        }
        long total = 0;
        long n = 0;
        begin();
        try {
          core.enterBlocking();
          try {
            do {
              n = transfer.run();
              total += Math.max(0, n);
              if (again(n)) {
                core.writes.await(PollFds.POLLOUT, -1);
              }
            } while ((again(n) || n > 0) && total < all && isOpen());
          } finally {
            core.leaveBlocking();
          }
        } finally {
          end(total > 0 || n == 0);
        }
        return total > 0 ? total : settle(n);
      } finally {
        core.writes.lock.unlock();
      }
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
      core.writes.pass(); // not in the middle of one
    }

    @Override
    protected void implCloseSelectableChannel() {
      core.close(isBlocking());
    }

    @Override
    public int eventsFor(int operations) {
      return (operations & SelectionKey.OP_WRITE) != 0 ? Epoll.EPOLLOUT : 0;
    }

    @Override
    public int readyFor(int events, int wanted) {
      return events != 0 ? wanted & SelectionKey.OP_WRITE : 0;
    }
  }
}
