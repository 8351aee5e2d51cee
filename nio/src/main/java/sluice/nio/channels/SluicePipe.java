package sluice.nio.channels;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import sluice.nio.descriptors.BlockingTransfer;
import sluice.nio.descriptors.BufferIo;
import sluice.nio.descriptors.ByteMover;
import sluice.nio.descriptors.ChannelCore;
import sluice.nio.descriptors.NetErrors;
import sluice.sys.Epoll;
import sluice.sys.Files;

/// A kernel pipe with a channel at each end. Any thread may use either end.
public final class SluicePipe extends Pipe {
  private final Source source;
  private final Sink sink;

  public SluicePipe(SelectorProvider provider) throws IOException {
    int[] ends = new int[2];
    int result = Files.pipe2(Files.O_CLOEXEC | Files.O_NONBLOCK, ends);
    if (result < 0) {
      throw NetErrors.ofTransfer(result);
    }
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

  /// Moves the bytes of one end. The holder of the direction's lock calls.
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

  /// Converts the result of a transfer into the return value of `read` or `write`, or throws an
  /// exception.
  private static long settle(long n) throws IOException {
    if (n == ByteMover.EOF) {
      return -1;
    }
    if (n >= 0 || NetErrors.again(n)) {
      return Math.max(0, n);
    }
    throw NetErrors.ofTransfer((int) n);
  }

  /// The readable end. Any thread may use it. Reads are mutually exclusive.
  static final class Source extends SourceChannel implements BlockingTransfer.Stream {
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

    private long read(BlockingTransfer.Attempt attempt) throws IOException {
      core.reads.lock.lock();
      try {
        ensureOpen();
        return settle(isBlocking() ? BlockingTransfer.read(this, -1, attempt) : attempt.run());
      } finally {
        core.reads.lock.unlock();
      }
    }

    @Override
    public void beginBlocking() {
      begin();
    }

    @Override
    public void endBlocking(boolean completed) throws AsynchronousCloseException {
      end(completed);
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
      core.reads.pass(); // not in the middle of one
    }

    @Override
    protected void implCloseSelectableChannel() {
      core.close(isBlocking(), core);
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

  /// The writable end. Any thread may use it. Writes are mutually exclusive.
  static final class Sink extends SinkChannel implements BlockingTransfer.Stream {
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

    private long write(long all, BlockingTransfer.Attempt attempt) throws IOException {
      core.writes.lock.lock();
      try {
        ensureOpen();
        return settle(isBlocking() ? BlockingTransfer.write(this, all, attempt) : attempt.run());
      } finally {
        core.writes.lock.unlock();
      }
    }

    @Override
    public void beginBlocking() {
      begin();
    }

    @Override
    public void endBlocking(boolean completed) throws AsynchronousCloseException {
      end(completed);
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
      core.writes.pass(); // not in the middle of one
    }

    @Override
    protected void implCloseSelectableChannel() {
      core.close(isBlocking(), core);
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
