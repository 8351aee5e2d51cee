package sluice.loop.readiness;

import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.ENOTCONN;
import static sluice.sys.Errno.EOPNOTSUPP;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.ListenOptions;
import sluice.loop.sockets.DescriptorReserve;
import sluice.sys.SysException;

/// The sockets of one engine on an [InProcessNetwork]. They are numbered by this class, which
/// always uses the lowest free number. Owned by the engine's thread.
///
/// `sendFile` returns -EOPNOTSUPP, so callers read the file and send the bytes.
final class InProcessSockets implements ReadinessSockets {
  private final InProcessNetwork network;
  private final ChunkArena arena;
  private final DescriptorReserve reserve = new DescriptorReserve(() -> () -> {});
  private @Nullable Object[] table = new @Nullable Object[64];
  private int lowestFree;
  private @Nullable InProcessDemultiplexer demultiplexer;

  /// The entry of a socket that has not been connected.
  private static final Object UNCONNECTED = new Object();

  InProcessSockets(InProcessNetwork network, ChunkArena arena) {
    this.network = network;
    this.arena = arena;
  }

  void toldTo(InProcessDemultiplexer by) {
    demultiplexer = by;
  }

  private int number(Object socket) {
    int number = lowestFree;
    while (number < table.length && table[number] != null) {
      number++;
    }
    if (number == table.length) {
      table = Arrays.copyOf(table, 2 * number);
    }
    lowestFree = number + 1;
    place(number, socket);
    return number;
  }

  private void place(int number, Object socket) {
    table[number] = socket;
    InProcessDemultiplexer told = demultiplexer;
    if (socket instanceof InProcessPollable pollable && told != null) {
      pollable.watched(told, number);
    }
  }

  private @Nullable Object at(int number) {
    return number >= 0 && number < table.length ? table[number] : null;
  }

  private @Nullable InProcessEnd end(int number) {
    return at(number) instanceof InProcessEnd end ? end : null;
  }

  /// Returns the events of `poll(2)` that are set on a socket.
  int events(int number) {
    return at(number) instanceof InProcessPollable pollable ? pollable.events() : 0;
  }

  // ---- opening ------------------------------------------------------------------------------

  @Override
  public int listen(SocketAddress address, ListenOptions options) throws IOException {
    return number(network.listen(address, options.reusePort(), options.backlog()));
  }

  @Override
  public int adoptListener(int fd) throws IOException {
    throw SysException.of(EOPNOTSUPP, "adopt", "fd " + fd, "no socket of the kernel is used here");
  }

  @Override
  public SocketAddress localAddress(int listener) throws IOException {
    if (at(listener) instanceof InProcessListener known) {
      return known.name();
    }
    throw SysException.of(EBADF, "getsockname", listener);
  }

  @Override
  public @Nullable SocketAddress remoteAddress(int socket) {
    InProcessEnd end = end(socket);
    return end == null ? null : end.peer().name();
  }

  @Override
  public long peerTakenBytes(int socket) {
    InProcessEnd end = end(socket);
    return end == null ? -1 : end.peerTaken();
  }

  @Override
  public int accept(int listener) {
    InProcessEnd accepted = at(listener) instanceof InProcessListener known ? known.poll() : null;
    return accepted == null ? -EAGAIN : number(accepted);
  }

  @Override
  public DescriptorReserve reserve() {
    return reserve;
  }

  @Override
  public int open(SocketAddress address) {
    return number(UNCONNECTED);
  }

  @Override
  public int connect(int socket, SocketAddress address) {
    try {
      place(socket, network.connect(address));
      return 0;
    } catch (SysException e) {
      return -e.errno();
    }
  }

  /// Returns 0 because connecting completes immediately.
  @Override
  public int finishConnect(int socket) {
    return 0;
  }

  // ---- moving bytes -------------------------------------------------------------------------

  @Override
  public int receive(int socket, int chunk) {
    InProcessEnd end = end(socket);
    return end == null
        ? -ENOTCONN
        : end.receive(arena.segment(), arena.offset(chunk), arena.chunkBytes());
  }

  @Override
  public int send(int socket, MemorySegment bytes, long offset, int length) {
    InProcessEnd end = end(socket);
    return end == null ? -ENOTCONN : end.send(bytes, offset, length);
  }

  @Override
  public int sendVector(int socket, ReadinessStage stage, int first, int count, boolean more) {
    int sent = 0;
    for (int i = first; i < first + count; i++) {
      int result = send(socket, stage.segment(i), stage.offset(i), stage.length(i));
      if (result < 0) {
        return sent > 0 ? sent : result; // an error shows again at the next send
      }
      sent += result;
      if (result < stage.length(i)) {
        return sent;
      }
    }
    return sent;
  }

  @Override
  public long sendFile(int socket, int fileFd, long position, long count) {
    return -EOPNOTSUPP;
  }

  // ---- ending -------------------------------------------------------------------------------

  @Override
  public void shutdown(int socket, int how) {
    InProcessEnd end = end(socket);
    if (end != null) {
      end.shutdown(how);
    }
  }

  @Override
  public void close(int number) {
    Object socket = at(number);
    if (socket == null) {
      return;
    }
    table[number] = null;
    lowestFree = Math.min(lowestFree, number);
    if (socket instanceof InProcessEnd end) {
      end.close();
    } else if (socket instanceof InProcessListener listener) {
      network.forget(listener);
      listener.close();
    }
  }

  /// Returns 0 because there are no system calls.
  @Override
  public long calls() {
    return 0;
  }

  @Override
  public void close() {
    reserve.close();
  }
}
