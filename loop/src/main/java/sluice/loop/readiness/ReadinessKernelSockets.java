package sluice.loop.readiness;

import static sluice.sys.Errno.EINPROGRESS;
import static sluice.sys.Errno.EINTR;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.SendVector;
import sluice.loop.sockets.DescriptorReserve;
import sluice.loop.sockets.KernelSockets;
import sluice.sys.Files;
import sluice.sys.IoVec;
import sluice.sys.MsgHeader;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// The data path of non-blocking kernel sockets, which makes one system call per method. The
/// control path is shared by all engines ([KernelSockets]). A socket's number is its descriptor.
/// Owned by the engine's thread.
final class ReadinessKernelSockets implements ReadinessSockets {
  private static final int SEND_FLAGS = Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;

  private final ChunkArena arena;
  private final Arena scratch = Arena.ofShared(); // closed with the engine
  private final MemorySegment header = scratch.allocate(MsgHeader.SIZE, Long.BYTES);
  private final MemorySegment ranges =
      scratch.allocate((long) SendVector.LIMIT * IoVec.SIZE, Long.BYTES);
  private final DescriptorReserve reserve = DescriptorReserve.ofKernel();
  private long calls;

  ReadinessKernelSockets(ChunkArena arena) {
    this.arena = arena;
  }

  @Override
  public int listen(SocketAddress address, ListenOptions options) throws IOException {
    calls += 4;
    return KernelSockets.listen(address, options, true);
  }

  @Override
  public int adoptListener(int fd) throws IOException {
    calls += 3;
    KernelSockets.adopt(fd, true);
    return fd;
  }

  @Override
  public int adoptConnected(int fd) throws IOException {
    calls += 2;
    KernelSockets.setMode(fd, true);
    return fd;
  }

  @Override
  public SocketAddress localAddress(int listener) throws IOException {
    calls++;
    return KernelSockets.localAddress(listener);
  }

  @Override
  public int descriptor(int socket) {
    return socket;
  }

  @Override
  public @Nullable SocketAddress remoteAddress(int socket) {
    calls++;
    return KernelSockets.remoteAddress(socket);
  }

  @Override
  public long peerTakenBytes(int socket) {
    calls++;
    return KernelSockets.peerTakenBytes(socket);
  }

  @Override
  public boolean refuseNew(int listener) {
    calls++;
    return KernelSockets.refuseNew(listener);
  }

  @Override
  public int accept(int listener) {
    int result;
    do {
      calls++;
      result = Sockets.accept4(listener, Sockets.SOCK_NONBLOCK);
    } while (result == -EINTR);
    return result;
  }

  @Override
  public int descriptorsUsed(int socket) {
    return socket < 0 ? reserve.used() : socket + 1;
  }

  @Override
  public DescriptorReserve reserve() {
    return reserve;
  }

  @Override
  public int open(SocketAddress address) throws IOException {
    calls += 2;
    return KernelSockets.open(address, true);
  }

  /// Starts to connect a socket. An interrupted connect continues in the background.
  @Override
  public int connect(int socket, SocketAddress address) {
    calls++;
    int result = Sockets.connect(socket, address);
    return result == -EINTR ? -EINPROGRESS : result;
  }

  @Override
  public int finishConnect(int socket) {
    calls++;
    try {
      return -Sockets.getsockopt(socket, Sockets.SOL_SOCKET, Sockets.SO_ERROR);
    } catch (SysException e) {
      return -e.errno();
    }
  }

  @Override
  public int receive(int socket, int chunk) {
    int result;
    do {
      calls++;
      result =
          Sockets.recv(
              socket,
              arena.segment(),
              arena.offset(chunk),
              arena.chunkBytes(),
              Sockets.MSG_DONTWAIT);
    } while (result == -EINTR);
    return result;
  }

  @Override
  public int send(int socket, MemorySegment bytes, long offset, int length) {
    int result;
    do {
      calls++;
      result = Sockets.send(socket, bytes, offset, length, SEND_FLAGS);
    } while (result == -EINTR);
    return result;
  }

  @Override
  public int sendVector(int socket, ReadinessStage stage, int first, int count, boolean more) {
    int flags = more ? SEND_FLAGS | Sockets.MSG_MORE : SEND_FLAGS;
    int entries = 0;
    for (int i = first; i < first + count; i++) {
      entries = IoVec.add(ranges, 0, entries, stage.segment(i), stage.offset(i), stage.length(i));
    }
    MsgHeader.set(header, 0, ranges, 0, entries);
    int result;
    do {
      calls++;
      result = Sockets.sendmsg(socket, header, 0, flags);
    } while (result == -EINTR);
    return result;
  }

  @Override
  public long sendFile(int socket, int fileFd, long position, long count) {
    long result;
    do {
      calls++;
      result = Files.sendfile(socket, fileFd, position, count);
    } while (result == -EINTR);
    return result;
  }

  /// Shuts down a direction. A peer that has disconnected is ignored, because the operation has no
  /// completion.
  @Override
  public void shutdown(int socket, int how) {
    calls++;
    Sockets.shutdown(socket, how);
  }

  @Override
  public void close(int socket) {
    calls++;
    Files.close(socket);
  }

  @Override
  public long calls() {
    return calls;
  }

  @Override
  public void close() {
    reserve.close();
    scratch.close();
  }
}
