package sluice.testkit.sim;

import static sluice.testkit.sim.SimOperation.ifActive;
import static sluice.testkit.sim.SimOperation.unsettled;

import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Completion;
import sluice.sys.Errno;
import sluice.testkit.sim.SimOperation.Lane;

/// The engine's end of a simulated connection. Owned by the engine's thread.
///
/// An operation has two states. It is *unsettled* until its last completion was delivered: this is
/// the caller's view, against which rules are checked. It is *active* until its last completion is
/// queued: this is the kernel's view.
final class SimSocket extends SimEndpoint {
  private static final int POLLOUT = 4;
  private static final int POLLERR = 8;
  private static final int POLLHUP = 16;
  private static final int MAX_LAG_NANOS = 4_000;

  final Lane receiveLane = new Lane();
  final Lane sendLane = new Lane();
  final Lane otherLane = new Lane();
  @Nullable SimOperation receive;

  /// True if the receive ends with its first completion.
  boolean receivesOnce;

  @Nullable SimOperation send;
  @Nullable SimOperation writableWait;
  @Nullable SimOperation connect;
  boolean closeStaged;

  /// True once the caller knows the number.
  boolean known;

  private final SimEngine engine;
  private final SocketAddress remote;
  private int number = -1;
  private int sentOfAll;
  private boolean receiving;
  private boolean sending;

  SimSocket(SimNetwork network, SimEngine engine, SocketAddress remote) {
    super(network);
    this.engine = engine;
    this.remote = remote;
  }

  void number(int value) {
    number = value;
  }

  @Override
  int id() {
    return number;
  }

  SocketAddress remote() {
    return remote;
  }

  /// Returns the operation that forbids the caller to close the socket, or null.
  @Nullable SimOperation obstacleToClose() {
    if (unsettled(receive)) {
      return receive;
    }
    if (unsettled(send) && send != null && send.kind == SimOperation.Kind.SEND_ALL) {
      return send;
    }
    if (unsettled(writableWait)) {
      return writableWait;
    }
    return unsettled(connect) ? connect : null;
  }

  @Override
  void onConnected(int result) {
    SimOperation operation = ifActive(connect);
    if (operation != null) {
      engine.finish(operation, result, 0);
    }
    onReadable();
    onWritable();
  }

  @Override
  void onReadable() {
    if (ifActive(receive) != null && !receiving && readable()) {
      receiving = true;
      network.scheduler().after(network.random().below(MAX_LAG_NANOS), this::fill);
    }
  }

  void startReceive() {
    if (connected()) {
      onReadable();
    } else if (receive != null) {
      engine.finish(receive, -Errno.ENOTCONN, 0);
    }
  }

  private void fill() {
    receiving = false;
    SimOperation operation = ifActive(receive);
    while (operation != null && operation.active()) {
      if (available() == 0) {
        int end = endOfInput();
        if (end != -Errno.EAGAIN) {
          engine.finish(operation, end, 0);
        }
        return;
      }
      if (network.faults().roll(SimFault.RESET)) {
        breakConnection();
        return;
      }
      fillChunk(operation);
      if (network.random().chance(300)) {
        onReadable(); // the rest comes a little later
        return;
      }
    }
  }

  private void fillChunk(SimOperation operation) {
    SimArena arena = engine.arena();
    int length = Math.min(available(), arena.chunkBytes());
    if (network.faults().roll(SimFault.SHORT_RECEIVE)) {
      length = network.random().skewed(length);
    }
    boolean cut = network.faults().roll(SimFault.CUT_RECEIVE);
    if (network.faults().roll(SimFault.ENOBUFS) || !arena.take(length, cut)) {
      engine.finish(operation, -Errno.ENOBUFS, 0);
      return;
    }
    length = arena.length();
    input().read(arena.segment(), arena.offset(arena.chunk()) + arena.begin(), length);
    consumed();
    boolean last = receivesOnce || network.faults().roll(SimFault.LOST_ARMING);
    long piece = Completion.withChunk(arena.chunk(), arena.begin(), !last);
    if (last) {
      engine.finish(operation, length, piece);
    } else {
      engine.queue(operation, length, piece);
    }
  }

  /// Takes available bytes without a receive operation.
  int tryReceive(MemorySegment into, long offset, int length) {
    if (!connected()) {
      return -Errno.ENOTCONN;
    }
    if (available() == 0) {
      return endOfInput();
    }
    int taken = Math.min(available(), length);
    if (network.faults().roll(SimFault.SHORT_RECEIVE)) {
      taken = network.random().skewed(taken);
    }
    input().read(into, offset, taken);
    consumed();
    return taken;
  }

  @Override
  void onWritable() {
    if (!writable()) {
      return;
    }
    SimOperation waiting = ifActive(writableWait);
    if (waiting != null) {
      engine.finish(waiting, broken() ? POLLOUT | POLLERR | POLLHUP : POLLOUT, 0);
    }
    SimOperation all = ifActive(send);
    if (all != null && all.kind == SimOperation.Kind.SEND_ALL && !sending) {
      sending = true;
      network.scheduler().after(network.random().below(MAX_LAG_NANOS), this::sendPiece);
    }
  }

  void startSendAll() {
    sentOfAll = 0;
    if (connected()) {
      onWritable();
    } else if (send != null) {
      engine.finish(send, -Errno.EPIPE, 0);
    }
  }

  private void sendPiece() {
    sending = false;
    SimOperation operation = ifActive(send);
    if (operation == null || operation.bytes == null) {
      return;
    }
    int room = roomOrErrno();
    if (room < 0) {
      engine.finish(operation, room, 0);
      return;
    }
    if (network.faults().roll(SimFault.SEND_SIGNAL)) {
      engine.finish(operation, sentOfAll > 0 ? sentOfAll : -Errno.EINTR, 0);
      return;
    }
    int length = Math.min(room, operation.bytes.length() - sentOfAll);
    if (length > 0 && network.faults().roll(SimFault.SLOW_SEND)) {
      length = network.random().skewed(length);
    }
    engine.checkBytes(operation, sentOfAll, sentOfAll + length);
    transmit(operation.bytes.staged(), sentOfAll, length);
    sentOfAll += length;
    if (network.faults().roll(SimFault.RESET)) {
      breakConnection();
    }
    if (sentOfAll == operation.bytes.length()) {
      engine.finish(operation, sentOfAll, 0);
    } else {
      onWritable();
    }
  }

  /// Sends without waiting as many bytes as there is room for.
  ///
  /// @return `bytes.length`, or another result to report to the caller
  int trySend(byte[] bytes) {
    int room = connected() ? roomOrErrno() : -Errno.EPIPE;
    if (room < 0) {
      return room;
    }
    if (room == 0 || network.faults().roll(SimFault.SEND_EAGAIN)) {
      return -Errno.EAGAIN;
    }
    int length = Math.min(room, bytes.length);
    if (network.faults().roll(SimFault.SHORT_SEND)) {
      length = network.random().below(length);
    }
    if (length > 0) {
      transmit(bytes, 0, length);
    }
    if (network.faults().roll(SimFault.RESET)) {
      breakConnection();
    }
    return length;
  }
}
