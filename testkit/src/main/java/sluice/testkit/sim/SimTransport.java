package sluice.testkit.sim;

import static sluice.testkit.sim.SimOperation.unsettled;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.SendVector;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.testkit.sim.SimOperation.Kind;
import sluice.testkit.sim.SimOperation.Lane;

/// The sockets of a [SimEngine]. Owned by the engine's thread.
///
/// The number that was closed last is given out next, so that a caller that confuses an old socket
/// with a new one is soon found.
final class SimTransport implements KernelTransport {
  private static final int FIRST_FILE = 1 << 25;

  private final SimEngine engine;
  private final SimNetwork network;
  private final Map<Integer, SimSocket> sockets = new HashMap<>();
  private final Map<Integer, SimPort> ports = new HashMap<>();
  private final Map<Integer, byte[]> files = new HashMap<>();
  private final ArrayDeque<Integer> freeNumbers = new ArrayDeque<>();
  private int numbersUsed;

  /// True if a number is kept in reserve, see [Transport#fillReserve].
  private boolean reserved;

  private int nextFile = FIRST_FILE;

  SimTransport(SimEngine engine, SimNetwork network) {
    this.engine = engine;
    this.network = network;
  }

  @Override
  public ChunkArena arena() {
    return engine.arena();
  }

  @Override
  public int listen(SocketAddress address, ListenOptions options) throws IOException {
    engine.checkOwner();
    SimPort port = new SimPort(network, engine, options);
    port.bound(network.listen(address, port));
    int number = nextNumber();
    if (number < 0) {
      port.close();
      throw SysException.of(-number, "socket", address);
    }
    ports.put(number, port);
    return number;
  }

  @Override
  public int adoptListener(int fd) throws IOException {
    throw SysException.of(Errno.EOPNOTSUPP, "getsockname", fd); // no descriptors from outside
  }

  @Override
  public SocketAddress localAddress(int listener) throws IOException {
    InetSocketAddress address = port(listener, "localAddress").address();
    if (address == null) {
      throw SysException.of(Errno.EINVAL, "getsockname", listener);
    }
    return address;
  }

  @Override
  public boolean fillReserve() {
    reserved |= !full();
    return reserved;
  }

  @Override
  public boolean freeReserve() {
    boolean was = reserved;
    reserved = false;
    return was;
  }

  @Override
  public void accept(int listener, long token) {
    SimPort port = port(listener, "accept");
    refuse(unsettled(port.accept), "accept is armed twice on listener", listener);
    port.accept = operation(Kind.ACCEPT, listener, token, port.lane, null, port::schedule);
    engine.stage(port.accept);
  }

  @Override
  public void receive(int socket, long token) {
    SimSocket target = socket(socket, "receive");
    refuse(unsettled(target.receive), "receive is armed twice on socket", socket);
    target.receivesOnce = false;
    target.receive =
        operation(Kind.RECEIVE, socket, token, target.receiveLane, null, target::startReceive);
    engine.stage(target.receive);
  }

  @Override
  public boolean receivesDirectly(int socket) {
    return true;
  }

  @Override
  public void receiveOnce(int socket, long token) {
    receive(socket, token);
    socket(socket, "receiveOnce").receivesOnce = true;
  }

  @Override
  public int tryReceive(int socket, MemorySegment into, long offset, int length) {
    SimSocket target = socket(socket, "tryReceive");
    refuse(unsettled(target.receive), "tryReceive while a receive is armed on socket", socket);
    refuse(length < 1, "tryReceive of no bytes on socket", socket);
    return target.tryReceive(into, offset, length);
  }

  @Override
  public void send(int socket, long token, MemorySegment bytes, long offset, int length) {
    refuse(length < 1, "send of no bytes on socket", socket);
    stageSend(socket, token, new SimBytes(bytes, offset, length));
  }

  @Override
  public void sendVector(int socket, long token, SendVector ranges) {
    refuse(ranges.totalBytes() < 1, "send of no bytes on socket", socket);
    stageSend(socket, token, SimBytes.of(ranges));
  }

  private void stageSend(int socket, long token, SimBytes bytes) {
    SimSocket target = socket(socket, "send");
    refuse(unsettled(target.send), "a second send was staged on socket", socket);
    SimOperation[] self = new SimOperation[1];
    Runnable start =
        () -> engine.finishSend(self[0], target.trySend(bytes.staged()), bytes.length());
    self[0] = operation(Kind.SEND, socket, token, target.sendLane, bytes, start);
    target.send = self[0];
    engine.stage(self[0]);
  }

  @Override
  public void sendAll(int socket, long token, MemorySegment bytes, long offset, int length) {
    refuse(length < 1, "send of no bytes on socket", socket);
    SimSocket target = socket(socket, "sendAll");
    refuse(unsettled(target.send), "a second send was staged on socket", socket);
    SimBytes copy = new SimBytes(bytes, offset, length);
    target.send =
        operation(Kind.SEND_ALL, socket, token, target.sendLane, copy, target::startSendAll);
    engine.stage(target.send);
  }

  @Override
  public void awaitWritable(int socket, long token) {
    SimSocket target = socket(socket, "awaitWritable");
    refuse(unsettled(target.writableWait), "awaitWritable is armed twice on socket", socket);
    target.writableWait =
        operation(Kind.WRITABLE, socket, token, target.otherLane, null, target::onWritable);
    engine.stage(target.writableWait);
  }

  @Override
  public long peerTakenBytes(int socket) {
    return socket(socket, "peerTakenBytes").takenByPeer();
  }

  @Override
  public long sendFile(int socket, int fileFd, long position, long count) {
    SimSocket target = socket(socket, "sendFile");
    refuse(
        unsettled(target.send) || engine.shutdownStaged(socket),
        "sendFile while something is staged or in flight on socket",
        socket);
    byte[] file = files.get(fileFd);
    if (file == null) {
      return -Errno.EOPNOTSUPP;
    }
    long length = Math.min(count, file.length - position);
    if (length <= 0) {
      return 0;
    }
    byte[] piece = new byte[(int) length];
    System.arraycopy(file, (int) position, piece, 0, piece.length);
    int sent = target.trySend(piece);
    return sent == 0 ? -Errno.EAGAIN : sent; // 0 would mean the end of the file
  }

  int openFile(byte[] content) {
    int fd = nextFile++;
    files.put(fd, content);
    return fd;
  }

  void closeFile(int fd) {
    if (files.remove(fd) == null) {
      throw engine.violation("a file was closed that is not open: " + fd);
    }
  }

  @Override
  public void shutdown(int socket, int how) {
    SimSocket target = socket(socket, "shutdown");
    refuse(how < 0 || how > 2, "shutdown with a bad direction on socket", socket);
    stage(Kind.SHUTDOWN, socket, () -> shutdown(target, how));
  }

  private static void shutdown(SimSocket socket, int how) {
    if (how != 1) {
      socket.shutReceive();
    }
    if (how != 0) {
      socket.sendFin();
    }
  }

  @Override
  public int connect(SocketAddress address, long token) throws IOException {
    SimSocket socket = new SimSocket(network, engine, address);
    int number = open(socket);
    if (number < 0) {
      throw SysException.of(-number, "socket", address);
    }
    socket.known = true;
    Runnable start = () -> network.connect(socket, address);
    socket.connect = operation(Kind.CONNECT, number, token, socket.otherLane, null, start);
    engine.stage(socket.connect);
    return number;
  }

  @Override
  public void cancel(long token) {
    engine.cancel(token);
  }

  @Override
  public void close(int number) {
    engine.checkOwner();
    SimPort port = ports.get(number);
    if (port != null) {
      refuse(unsettled(port.accept), "close with accept armed on listener", number);
      refuse(port.closeStaged, "closed twice: listener", number);
      port.closeStaged = true;
      stage(Kind.CLOSE, number, () -> closePort(number, port));
      return;
    }
    SimSocket socket = socket(number, "close");
    SimOperation obstacle = socket.obstacleToClose();
    refuse(obstacle != null, "close with something in flight (" + obstacle + ") on", number);
    socket.closeStaged = true;
    stage(Kind.CLOSE, number, () -> closeSocket(number, socket));
  }

  private void closePort(int number, SimPort port) {
    port.close();
    ports.remove(number);
    freeNumbers.push(number);
  }

  private void closeSocket(int number, SimSocket socket) {
    socket.closeEnd();
    sockets.remove(number);
    freeNumbers.push(number);
  }

  @Override
  public @Nullable SocketAddress remoteAddress(int socket) {
    SimSocket target = socket(socket, "remoteAddress");
    return target.broken() ? null : target.remote();
  }

  /// Assigns a number to a socket and returns it, or returns -EMFILE.
  int open(SimSocket socket) {
    int number = nextNumber();
    if (number >= 0) {
      sockets.put(number, socket);
      socket.number(number);
    }
    return number;
  }

  /// Notes that the caller has been told of an accepted socket.
  void known(int number) {
    SimSocket socket = sockets.get(number);
    if (socket != null) {
      socket.known = true;
    }
  }

  void closeAll() {
    ports.values().forEach(SimPort::close);
    sockets.values().forEach(SimEndpoint::closeEnd);
  }

  void checkNothingOpen() {
    List<Integer> open = new ArrayList<>();
    ports.forEach((number, port) -> addIf(!port.closeStaged, number, open));
    sockets.forEach((number, socket) -> addIf(!socket.closeStaged, number, open));
    open.addAll(files.keySet());
    if (!open.isEmpty()) {
      throw engine.violation("sockets, listeners or files were left open: " + open);
    }
  }

  private static void addIf(boolean wanted, int number, List<Integer> list) {
    if (wanted) {
      list.add(number);
    }
  }

  private boolean full() {
    return sockets.size() + ports.size() + (reserved ? 1 : 0) >= engine.config().maxSockets();
  }

  private int nextNumber() {
    if (full()) {
      return -Errno.EMFILE;
    }
    return freeNumbers.isEmpty() ? numbersUsed++ : freeNumbers.pop();
  }

  private SimSocket socket(int number, String call) {
    engine.checkOwner();
    SimSocket socket = sockets.get(number);
    if (socket == null || !socket.known || socket.closeStaged) {
      throw engine.violation(call + " on a socket that is not open: " + number);
    }
    return socket;
  }

  private SimPort port(int number, String call) {
    engine.checkOwner();
    SimPort port = ports.get(number);
    if (port == null || port.closeStaged) {
      throw engine.violation(call + " on a listener that is not open: " + number);
    }
    return port;
  }

  private void refuse(boolean wrong, String what, int number) {
    if (wrong) {
      throw engine.violation(what + " " + number);
    }
  }

  private void stage(Kind kind, int number, Runnable action) {
    engine.stage(new SimOperation(kind, 0, number, new Lane(), null, action));
  }

  private static SimOperation operation(
      Kind kind, int number, long token, Lane lane, @Nullable SimBytes bytes, Runnable action) {
    return new SimOperation(kind, token, number, lane, bytes, action);
  }
}
