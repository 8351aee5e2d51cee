package sluice.nio.channels;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Objects;
import sluice.nio.descriptors.BlockingTransfer;
import sluice.nio.descriptors.BufferIo;
import sluice.nio.descriptors.ByteMover;
import sluice.nio.descriptors.ChannelCore;
import sluice.nio.descriptors.NetErrors;
import sluice.sys.Errno;
import sluice.sys.Sockets;

/// The blocking and non-blocking transfers of a stream socket. Any thread may call. Reads are
/// mutually exclusive, and so are writes, because each direction of the channel has a lock.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `reset` | readers | under the read lock | the same |
public final class StreamTransfers {
  private static final int SEND_FLAGS = Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;

  private final SluiceSocketChannel channel;
  private final ChannelCore core;
  private final SocketMover mover = new SocketMover();
  private boolean reset;

  StreamTransfers(SluiceSocketChannel channel) {
    this.channel = channel;
    this.core = channel.core();
  }

  /// Moves bytes through the ring if the channel has one, and otherwise through the kernel's
  /// socket. Called by the holder of the direction's lock.
  private final class SocketMover implements ByteMover {
    @Override
    public int receive(MemorySegment segment, long offset, int length) {
      StreamPort ring = channel.port();
      return ring == null
          ? receiveHere(segment, offset, length)
          : ring.receive(segment, offset, length);
    }

    @Override
    public int send(MemorySegment segment, long offset, int length) {
      StreamPort ring = channel.port();
      return ring == null ? sendHere(segment, offset, length) : ring.send(segment, offset, length);
    }
  }

  /// Receives directly from the kernel's socket.
  public int receiveHere(MemorySegment segment, long offset, int length) {
    int n = Sockets.recv(core.fd(), segment, offset, length, Sockets.MSG_DONTWAIT);
    return n == 0 && length > 0 ? ByteMover.EOF : n;
  }

  /// Sends directly through the kernel's socket.
  public int sendHere(MemorySegment segment, long offset, int length) {
    return Sockets.send(core.fd(), segment, offset, length, SEND_FLAGS);
  }

  // ---- reading --------------------------------------------------------------------------------

  int read(ByteBuffer buffer) throws IOException {
    Objects.requireNonNull(buffer);
    core.reads.lock(channel.blockingLock());
    try {
      channel.ensureOpenAndConnected();
      if (channel.isBlocking()) {
        return (int) readBlocking(buffer, -1);
      }
      if (isAtEnd()) {
        return (int) settleRead(ByteMover.EOF);
      }
      int n = take(buffer);
      return n > 0 ? n : (int) settleRead(BufferIo.read(mover, buffer));
    } finally {
      core.reads.lock.unlock();
    }
  }

  long read(ByteBuffer[] buffers, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, buffers.length);
    core.reads.lock(channel.blockingLock());
    try {
      channel.ensureOpenAndConnected();
      if (channel.isBlocking()) {
        return settleRead(
            BlockingTransfer.read(
                channel,
                -1,
                () -> isAtEnd() ? ByteMover.EOF : BufferIo.read(mover, buffers, offset, length)));
      }
      return settleRead(isAtEnd() ? ByteMover.EOF : BufferIo.read(mover, buffers, offset, length));
    } finally {
      core.reads.lock.unlock();
    }
  }

  /// Copies bytes that a ring has already received. This requires neither a system call nor an
  /// allocation.
  private int take(ByteBuffer buffer) {
    StreamPort ring = channel.port();
    return ring == null || buffer.isReadOnly() ? 0 : ring.take(buffer);
  }

  private boolean isAtEnd() {
    return reset || !channel.isInputOpen();
  }

  /// Reads for the input stream of an adaptor and blocks until bytes are available.
  ///
  /// @param nanos the timeout, or zero or a negative number to wait indefinitely
  int blockingRead(byte[] bytes, int offset, int length, long nanos) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (length == 0) {
      return 0;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
    core.reads.lock.lock();
    try {
      channel.ensureOpenAndConnected();
      if (!channel.isBlocking()) {
        throw new IllegalBlockingModeException();
      }
      return (int) readBlocking(buffer, nanos <= 0 ? -1 : nanos);
    } finally {
      core.reads.lock.unlock();
    }
  }

  private long readBlocking(ByteBuffer buffer, long nanos) throws IOException {
    return settleRead(
        BlockingTransfer.read(
            channel, nanos, () -> isAtEnd() ? ByteMover.EOF : BufferIo.read(mover, buffer)));
  }

  /// Converts the result of a transfer into the return value of `read`, or throws an exception.
  private long settleRead(long n) throws IOException {
    if (n > 0) {
      return n;
    }
    if (n == -Errno.ECONNRESET) {
      reset = true;
    }
    if (!channel.isInputOpen()) {
      return -1; // whatever else has happened
    }
    if (reset) {
      throw new SocketException("Connection reset");
    }
    if (n == ByteMover.EOF) {
      return -1;
    }
    if (n == 0 || NetErrors.again(n)) {
      return 0;
    }
    throw NetErrors.ofTransfer((int) n);
  }

  // ---- writing --------------------------------------------------------------------------------

  int write(ByteBuffer buffer) throws IOException {
    Objects.requireNonNull(buffer);
    core.writes.lock(channel.blockingLock());
    try {
      channel.ensureOpenAndConnected();
      requireOutput();
      if (channel.isBlocking()) {
        return (int) writeBlocking(buffer);
      }
      int length = buffer.remaining();
      return stage(buffer) ? length : (int) settleWrite(BufferIo.write(mover, buffer));
    } finally {
      core.writes.lock.unlock();
    }
  }

  long write(ByteBuffer[] buffers, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, buffers.length);
    core.writes.lock(channel.blockingLock());
    try {
      channel.ensureOpenAndConnected();
      requireOutput();
      if (channel.isBlocking()) {
        long all = BufferIo.remaining(buffers, offset, length);
        return settleWrite(
            BlockingTransfer.write(
                channel, all, () -> BufferIo.write(mover, buffers, offset, length)));
      }
      long staged = stage(buffers, offset, length);
      long n = BufferIo.write(mover, buffers, offset, length); // the rest
      return staged > 0 ? staged + Math.max(0, n) : settleWrite(n);
    } finally {
      core.writes.lock.unlock();
    }
  }

  private void requireOutput() throws ClosedChannelException {
    if (!channel.isOutputOpen()) {
      throw new ClosedChannelException();
    }
  }

  /// Stages the bytes of several buffers.
  ///
  /// @return the number of bytes that the ring accepted
  private long stage(ByteBuffer[] buffers, int offset, int length) {
    long done = 0;
    if (BufferIo.remaining(buffers, offset, length) <= StreamPort.STAGE_BYTES) {
      for (int i = offset; i < offset + length; i++) {
        int part = buffers[i].remaining();
        if (part > 0 && !stage(buffers[i])) {
          break;
        }
        done += part;
      }
    }
    return done;
  }

  /// Returns true if the ring accepted all bytes of the given buffer.
  private boolean stage(ByteBuffer buffer) {
    StreamPort ring = channel.port();
    return ring != null && ring.stage(buffer);
  }

  /// Writes all bytes for the output stream of an adaptor, blocking as long as necessary.
  void blockingWriteFully(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (length == 0) {
      return;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
    core.writes.lock.lock();
    try {
      channel.ensureOpenAndConnected();
      if (!channel.isBlocking()) {
        throw new IllegalBlockingModeException();
      }
      requireOutput();
      writeBlocking(buffer);
      while (buffer.hasRemaining()) {
        if (!channel.isOpen() || !channel.isOutputOpen()) {
          throw new AsynchronousCloseException();
        }
        writeBlocking(buffer);
      }
    } finally {
      core.writes.lock.unlock();
    }
  }

  private long writeBlocking(ByteBuffer buffer) throws IOException {
    return settleWrite(
        BlockingTransfer.write(channel, buffer.remaining(), () -> BufferIo.write(mover, buffer)));
  }

  private long settleWrite(long n) throws IOException {
    if (n >= 0) {
      return n;
    }
    if (!channel.isOutputOpen()) {
      throw new AsynchronousCloseException();
    }
    if (NetErrors.again(n)) {
      return 0;
    }
    throw NetErrors.ofTransfer((int) n);
  }

  /// Sends one byte of urgent data.
  ///
  /// @return 1 if the byte was sent, or 0 if the send buffer is full
  int sendUrgent(byte value) throws IOException {
    core.writes.lock.lock();
    try (Arena arena = Arena.ofConfined()) {
      channel.ensureOpenAndConnected();
      MemorySegment data = arena.allocate(1);
      data.set(ValueLayout.JAVA_BYTE, 0, value);
      StreamPort ring = channel.port();
      if (ring != null && !ring.flush()) {
        return 0;
      }
      int flags = SEND_FLAGS | Sockets.MSG_OOB;
      long n = Sockets.send(core.fd(), data, 0, 1, flags);
      if (NetErrors.again(n) && channel.isBlocking()) {
        throw new SocketException("No buffer space available");
      }
      return (int) settleWrite(n);
    } finally {
      core.writes.lock.unlock();
    }
  }
}
