package sluice.loop.readiness;

import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.EMFILE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.SendVector;
import sluice.sys.SysException;

/// The kernel sockets of an engine whose kernel mechanism reports readiness. Owned by the engine's
/// thread. Each method checks the calling thread and stages the operation, which is performed in
/// the next turn.
final class ReadinessTransport implements KernelTransport {
  private final ReadinessEngine engine;
  private final ReadinessStage stage;
  private final ReadinessOperations operations;
  private final ReadinessSockets device;
  private final ChunkPool pool;

  ReadinessTransport(
      ReadinessEngine engine,
      ReadinessStage stage,
      ReadinessOperations operations,
      ReadinessSockets device,
      ChunkPool pool) {
    this.engine = engine;
    this.stage = stage;
    this.operations = operations;
    this.device = device;
    this.pool = pool;
  }

  @Override
  public ChunkArena arena() {
    return pool;
  }

  @Override
  public int listen(SocketAddress address, ListenOptions options) throws IOException {
    engine.check();
    checkRoom("listen", address);
    ReadinessSocket listener = operations.opened(device.listen(address, options), true);
    listener.backlog = options.backlog();
    return listener.number;
  }

  @Override
  public int adoptListener(int fd) throws IOException {
    engine.check();
    checkRoom("listen", fd);
    return operations.opened(device.adoptListener(fd), true).number;
  }

  @Override
  public int adoptConnected(int fd) throws IOException {
    engine.check();
    checkRoom("fcntl", fd);
    return operations.opened(device.adoptConnected(fd), false).number;
  }

  private void checkRoom(String call, Object argument) throws SysException {
    if (operations.full()) {
      throw SysException.of(EMFILE, call, argument);
    }
  }

  @Override
  public SocketAddress localAddress(int listener) throws IOException {
    engine.check();
    return device.localAddress(listener);
  }

  @Override
  public boolean refuseNew(int listener) {
    return device.refuseNew(listener);
  }

  @Override
  public void accept(int listener, long token) {
    stage(ReadinessStage.ACCEPT, listener, token);
  }

  @Override
  public boolean acceptRestAndClose(int listener) {
    stage(ReadinessStage.CLOSE_LISTENER, listener, 0);
    return true;
  }

  @Override
  public void acceptAtMost(int count, int used) {
    operations.acceptAtMost(count, used);
  }

  @Override
  public int descriptorsUsed(int socket) {
    return device.descriptorsUsed(socket);
  }

  @Override
  public boolean fillReserve() {
    return device.reserve().fill();
  }

  @Override
  public boolean freeReserve() {
    return device.reserve().free();
  }

  @Override
  public void receive(int socket, long token) {
    stage(ReadinessStage.RECEIVE, socket, token);
  }

  private void stage(int operation, int socket, long token) {
    engine.check();
    stage.add(operation, socket, token);
  }

  @Override
  public void send(int socket, long token, MemorySegment bytes, long offset, int length) {
    stage(ReadinessStage.SEND, socket, token, bytes, offset, length);
  }

  @Override
  public void sendAll(int socket, long token, MemorySegment bytes, long offset, int length) {
    stage(ReadinessStage.SEND_ALL, socket, token, bytes, offset, length);
  }

  private void stage(
      int operation, int socket, long token, MemorySegment bytes, long offset, int length) {
    engine.check();
    checkRange(bytes, offset, length);
    stage.add(operation, socket, token, length);
    stage.bytes(bytes, offset);
  }

  private static void checkRange(MemorySegment bytes, long offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.byteSize());
    if (!bytes.isNative()) {
      throw new IllegalArgumentException("a send needs a native segment, not a heap array");
    }
  }

  @Override
  public void sendVector(int socket, long token, SendVector ranges) {
    engine.check();
    int count = ranges.count();
    for (int i = 0; i < count; i++) {
      checkRange(ranges.segment(i), ranges.offset(i), ranges.length(i));
    }
    int operation = ranges.more() ? ReadinessStage.SEND_VECTOR_MORE : ReadinessStage.SEND_VECTOR;
    stage.add(operation, socket, token, count);
    for (int i = 0; i < count; i++) {
      stage.add(ReadinessStage.RANGE, socket, token, ranges.length(i));
      stage.bytes(ranges.segment(i), ranges.offset(i));
    }
  }

  @Override
  public void awaitWritable(int socket, long token) {
    stage(ReadinessStage.AWAIT_WRITABLE, socket, token);
  }

  @Override
  public long peerTakenBytes(int socket) {
    engine.check();
    return operations.isOpen(socket) ? device.peerTakenBytes(socket) : -1;
  }

  @Override
  public long sendFile(int socket, int fileFd, long position, long count) {
    engine.check();
    return operations.isOpen(socket) ? device.sendFile(socket, fileFd, position, count) : -EBADF;
  }

  @Override
  public void shutdown(int socket, int how) {
    engine.check();
    stage.add(ReadinessStage.SHUTDOWN, socket, 0, how);
  }

  @Override
  public int connect(SocketAddress address, long token) throws IOException {
    engine.check();
    checkRoom("connect", address);
    ReadinessSocket socket = operations.opened(device.open(address), false);
    socket.peer = address;
    stage.add(ReadinessStage.CONNECT, socket.number, token);
    return socket.number;
  }

  @Override
  public void cancel(long token) {
    engine.cancel(token);
  }

  @Override
  public void close(int socket) {
    stage(ReadinessStage.CLOSE, socket, 0);
  }

  @Override
  public int descriptor(int socket) {
    return device.descriptor(socket);
  }

  @Override
  public @Nullable SocketAddress remoteAddress(int socket) {
    engine.check();
    return operations.isOpen(socket) ? device.remoteAddress(socket) : null;
  }
}
