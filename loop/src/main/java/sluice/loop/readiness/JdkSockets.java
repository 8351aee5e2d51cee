package sluice.loop.readiness;

import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.EINPROGRESS;
import static sluice.sys.Errno.EINVAL;
import static sluice.sys.Errno.ENOTCONN;
import static sluice.sys.Errno.EOPNOTSUPP;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.ListenOptions;
import sluice.loop.sockets.DescriptorReserve;
import sluice.sys.SysException;

/// The sockets of one engine, implemented as JDK channels. They are numbered by this class, which
/// always uses the lowest free number. Owned by the engine's thread.
///
/// Receives write directly to the arena, through one buffer per chunk. Sends are copied through one
/// direct buffer, because a channel only accepts buffers and creating one per range would allocate
/// memory. `sendFile` returns -EOPNOTSUPP because a channel cannot be created from a raw
/// descriptor, so callers read the file and send the bytes.
final class JdkSockets implements ReadinessSockets {
  private static final int SHUT_RD = 0;
  private static final int SHUT_WR = 1;
  private static final int COPY_BYTES = 64 << 10;

  private final @Nullable ByteBuffer[] chunks;
  private final ChunkArena arena;
  private final ByteBuffer copy = ByteBuffer.allocateDirect(COPY_BYTES);
  private final MemorySegment copySegment = MemorySegment.ofBuffer(copy);
  private @Nullable SelectableChannel[] channels = new @Nullable SelectableChannel[64];
  private final BitSet noDelay = new BitSet(); // of listeners, for what they accept
  private int lowestFree;
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  private final DescriptorReserve reserve = new DescriptorReserve(JdkSockets::openSocket);
  private long calls;

  JdkSockets(ChunkArena arena) {
    this.arena = arena;
    this.chunks = new @Nullable ByteBuffer[arena.count()];
  }

  // ---- numbers ------------------------------------------------------------------------------

  private int number(SelectableChannel channel) {
    int number = lowestFree;
    while (number < channels.length && channels[number] != null) {
      number++;
    }
    if (number == channels.length) {
      channels = Arrays.copyOf(channels, 2 * number);
    }
    channels[number] = channel;
    lowestFree = number + 1;
    return number;
  }

  @Nullable SelectableChannel channel(int number) {
    return number >= 0 && number < channels.length ? channels[number] : null;
  }

  private SocketChannel stream(int number) throws IOException {
    if (channel(number) instanceof SocketChannel channel) {
      return channel;
    }
    throw SysException.of(EBADF, "getsockname", number);
  }

  private ServerSocketChannel server(int number) throws IOException {
    if (channel(number) instanceof ServerSocketChannel channel) {
      return channel;
    }
    throw SysException.of(EBADF, "getsockname", number);
  }

  // ---- opening ------------------------------------------------------------------------------

  @Override
  public int listen(SocketAddress address, ListenOptions options) throws IOException {
    calls += 4; // socket, setsockopt, bind, listen
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      if (options.reusePort()) {
        channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
      }
      channel.bind(address, options.backlog());
    } catch (IOException e) {
      channel.close();
      SysException reason = SysException.of(JdkErrno.of(e), "bind", address);
      reason.initCause(e);
      throw reason;
    } catch (RuntimeException e) {
      channel.close();
      throw e;
    }
    int number = number(channel);
    noDelay.set(number, options.noDelay());
    return number;
  }

  @Override
  public int adoptListener(int fd) throws IOException {
    throw SysException.of(EOPNOTSUPP, "adopt", "fd " + fd, "JDK channels cannot wrap a descriptor");
  }

  @Override
  public SocketAddress localAddress(int listener) throws IOException {
    calls++;
    return server(listener).getLocalAddress();
  }

  @Override
  public @Nullable SocketAddress remoteAddress(int socket) {
    calls++;
    try {
      return stream(socket).getRemoteAddress();
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public int accept(int listener) {
    calls++;
    try {
      SocketChannel channel = server(listener).accept();
      if (channel == null) {
        return -EAGAIN;
      }
      int number = number(nonBlocking(channel));
      if (noDelay.get(listener)) {
        setNoDelay(channel);
      }
      return number;
    } catch (IOException e) {
      return JdkErrno.result(e);
    }
  }

  /// Makes a channel non-blocking, or closes it if that fails, because no other object references
  /// it.
  static SocketChannel nonBlocking(SocketChannel channel) throws IOException {
    try {
      channel.configureBlocking(false);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /// Sets `TCP_NODELAY`. If the peer has already disconnected, this is reported by the first
  /// receive.
  private static void setNoDelay(SocketChannel channel) {
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    } catch (IOException e) {
      return;
    }
  }

  /// Returns the size of the descriptor directory, if the system reports it (Linux 6.2).
  @Override
  public int descriptorsUsed(int socket) {
    try {
      return (int) Math.min(Files.size(DESCRIPTORS), Integer.MAX_VALUE);
    } catch (IOException e) {
      return 0;
    }
  }

  @Override
  public DescriptorReserve reserve() {
    return reserve;
  }

  private static @Nullable Closeable openSocket() {
    try {
      return SocketChannel.open();
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public int open(SocketAddress address) throws IOException {
    calls++;
    return number(nonBlocking(SocketChannel.open()));
  }

  @Override
  public int connect(int socket, SocketAddress address) {
    calls++;
    try {
      return stream(socket).connect(address) ? 0 : -EINPROGRESS;
    } catch (IOException e) {
      return JdkErrno.result(e);
    } catch (UnresolvedAddressException | UnsupportedAddressTypeException e) {
      return -EINVAL;
    }
  }

  @Override
  public int finishConnect(int socket) {
    calls++;
    try {
      return stream(socket).finishConnect() ? 0 : -EINPROGRESS;
    } catch (IOException e) {
      return JdkErrno.result(e);
    }
  }

  // ---- moving bytes -------------------------------------------------------------------------

  @Override
  public int receive(int socket, int chunk) {
    calls++;
    ByteBuffer buffer = buffer(chunk);
    buffer.clear();
    try {
      int count = stream(socket).read(buffer);
      if (count > 0) {
        return count;
      }
      return count == 0 ? -EAGAIN : 0;
    } catch (IOException e) {
      return JdkErrno.result(e);
    } catch (NotYetConnectedException e) {
      return -ENOTCONN;
    }
  }

  private ByteBuffer buffer(int chunk) {
    ByteBuffer buffer = chunks[chunk];
    if (buffer == null) {
      MemorySegment segment = arena.segment().asSlice(arena.offset(chunk), arena.chunkBytes());
      buffer = segment.asByteBuffer();
      chunks[chunk] = buffer;
    }
    return buffer;
  }

  @Override
  public int send(int socket, MemorySegment bytes, long offset, int length) {
    int sent = 0;
    while (sent < length) {
      int piece = Math.min(length - sent, COPY_BYTES);
      MemorySegment.copy(bytes, offset + sent, copySegment, 0, piece);
      int result = write(socket, piece);
      if (result < piece) {
        return total(sent, result);
      }
      sent += piece;
    }
    return sent;
  }

  @Override
  public int sendVector(int socket, ReadinessStage stage, int first, int count, boolean more) {
    int sent = 0;
    int filled = 0;
    for (int i = first; i < first + count; i++) {
      int taken = 0;
      while (taken < stage.length(i)) {
        int piece = Math.min(stage.length(i) - taken, COPY_BYTES - filled);
        MemorySegment.copy(stage.segment(i), stage.offset(i) + taken, copySegment, filled, piece);
        taken += piece;
        filled += piece;
        if (filled == COPY_BYTES) {
          int result = write(socket, filled);
          if (result < filled) {
            return total(sent, result);
          }
          sent += filled;
          filled = 0;
        }
      }
    }
    return filled == 0 ? sent : total(sent, write(socket, filled));
  }

  /// Adds up the results of a send in several parts. An error that follows a partial success occurs
  /// again in the next send.
  private static int total(int sent, int result) {
    if (result >= 0) {
      return sent + result;
    }
    return sent > 0 ? sent : result;
  }

  /// Writes the first `length` bytes of the copy buffer.
  private int write(int socket, int length) {
    calls++;
    copy.position(0).limit(length);
    try {
      int count = stream(socket).write(copy);
      return count == 0 ? -EAGAIN : count;
    } catch (IOException e) {
      return JdkErrno.result(e);
    } catch (NotYetConnectedException e) {
      return -ENOTCONN;
    }
  }

  @Override
  public long sendFile(int socket, int fileFd, long position, long count) {
    return -EOPNOTSUPP;
  }

  // ---- ending -------------------------------------------------------------------------------

  /// Shuts down a direction. A peer that has disconnected is ignored, because the operation has no
  /// completion.
  @Override
  public void shutdown(int socket, int how) {
    calls++;
    try {
      if (how != SHUT_WR) {
        stream(socket).shutdownInput();
      }
      if (how != SHUT_RD) {
        stream(socket).shutdownOutput();
      }
    } catch (IOException | NotYetConnectedException e) {
      return;
    }
  }

  @Override
  public void close(int number) {
    SelectableChannel channel = channel(number);
    if (channel == null) {
      return;
    }
    calls++;
    channels[number] = null;
    lowestFree = Math.min(lowestFree, number);
    try {
      channel.close();
    } catch (IOException e) {
      return; // the descriptor is gone in any case
    }
  }

  @Override
  public long calls() {
    return calls;
  }

  @Override
  public void close() {
    reserve.close();
    Arrays.fill(chunks, null);
  }
}
