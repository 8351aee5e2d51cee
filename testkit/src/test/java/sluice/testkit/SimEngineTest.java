package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.engine.Completion;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.SendVector;
import sluice.loop.engine.Transport;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.testkit.sim.SimClient;
import sluice.testkit.sim.SimDescriptor;
import sluice.testkit.sim.SimEngine;
import sluice.testkit.sim.SimFault;
import sluice.testkit.sim.SimViolation;
import sluice.testkit.sim.SimWorld;

/// Tests of the kernel model without faults: the effect of each operation, and the mistakes that it
/// refuses.
@Timeout(120)
class SimEngineTest {
  private static final long ACCEPT = 1;
  private static final long RECEIVE = 2;
  private static final long SEND = 3;
  private static final long WRITABLE = 4;
  private static final long POLL = 5;

  private record Event(long token, int result, long flags) {}

  private final SimWorld world = new SimWorld(1);
  private final Account account = new Account("test", 1 << 20);
  private final List<Event> events = new ArrayList<>();
  private final SimClient client = world.client(SimClient.Pace.FAST);
  private SimEngine engine;
  private Transport sockets;
  private int listener;
  private int socket;

  @BeforeEach
  void accept() throws IOException {
    world.faults().withBudget(0);
    engine = world.engine(EngineConfig.DEFAULT.withChunks(4, 2_048));
    sockets = engine.sockets();
    listener =
        sockets.listen(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ListenOptions.DEFAULT);
    sockets.accept(listener, ACCEPT);
    client.connect(sockets.localAddress(listener));
    socket = next(ACCEPT).result;
  }

  @AfterEach
  void close() {
    world.close();
    assertThat(account.usedBytes()).isZero();
  }

  /// Turns until an operation completes, which must be `token`.
  private Event next(long token) {
    while (events.isEmpty()) {
      turn(-1);
    }
    Event event = events.removeFirst();
    assertThat(event.token).isEqualTo(token);
    return event;
  }

  private void turn(long timeoutNanos) {
    engine.turn(
        timeoutNanos, (token, result, flags) -> events.add(new Event(token, result, flags)));
  }

  private void refused(String rule, Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOf(SimViolation.class)
        .hasMessageContaining(rule)
        .hasMessageContaining("seed=1");
  }

  private MemorySegment bytes(int length) {
    return Arena.ofAuto().allocate(length);
  }

  @Test
  void receivesUntilTheEnd() {
    sockets.receive(socket, RECEIVE);
    client.send(new byte[3_000]).finish();
    int received = 0;
    for (Event event = next(RECEIVE); event.result > 0; event = next(RECEIVE)) {
      assertThat(Completion.hasMore(event.flags)).isTrue();
      assertThat(event.result).isLessThanOrEqualTo(2_048);
      received += event.result;
      sockets.arena().block(Completion.chunk(event.flags)).release();
    }
    assertThat(received).isEqualTo(3_000);
    checkNothingLeft();
  }

  @Test
  void receiveStarvesWhenEveryChunkIsOut() {
    sockets.receive(socket, RECEIVE);
    client.send(new byte[20_000]);
    List<Block> held = new ArrayList<>();
    Event event = next(RECEIVE);
    for (; event.result > 0; event = next(RECEIVE)) {
      held.add(sockets.arena().block(Completion.chunk(event.flags)));
    }
    assertThat(event.result).isEqualTo(-Errno.ENOBUFS);
    assertThat(sockets.arena().free()).isZero();
    refused("chunks leaked", this::checkNothingLeft);
    held.forEach(Block::release);
    assertThat(sockets.arena().free()).isEqualTo(4);
  }

  private void checkNothingLeft() {
    engine.cancel(ACCEPT);
    assertThat(next(ACCEPT).result).isEqualTo(-Errno.ECANCELED);
    sockets.close(listener);
    sockets.close(socket);
    engine.checkNothingLeft();
  }

  @Test
  void shortSendTellsHowMuchWasTaken() {
    sockets.send(socket, SEND, bytes(200_000), 0, 200_000);
    Event event = next(SEND);
    assertThat(event.result).isBetween(512, 65_536);
    sockets.awaitWritable(socket, WRITABLE);
    assertThat(next(WRITABLE).result).isPositive();
  }

  @Test
  void wholeSendIsSilent() {
    SendVector vector = new SendVector();
    vector.add(bytes(100), 0, 100);
    vector.add(bytes(100), 50, 50);
    sockets.sendVector(socket, SEND, vector);
    world.turnUntil(() -> client.receivedBytes() == 150, 100, () -> turn(1_000_000));
    assertThat(events).isEmpty();
  }

  @Test
  void sendAllWaitsForRoom() {
    sockets.sendAll(socket, SEND, bytes(200_000), 0, 200_000);
    assertThat(next(SEND).result).isEqualTo(200_000);
    world.turnUntil(() -> client.receivedBytes() == 200_000, 100, () -> turn(1_000_000));
  }

  @Test
  void aSignalEndsASendThatWaits() {
    world.faults().with(SimFault.SEND_SIGNAL, 1_000).withBudget(1);
    sockets.sendAll(socket, SEND, bytes(200_000), 0, 200_000);
    assertThat(next(SEND).result).isEqualTo(-Errno.EINTR);
    int left = 0;
    world.faults().with(SimFault.SEND_SIGNAL, 500).withBudget(5);
    while (left < 200_000) {
      sockets.sendAll(socket, SEND, bytes(200_000), left, 200_000 - left);
      left += Math.max(0, next(SEND).result);
    }
    world.turnUntil(() -> client.receivedBytes() == 200_000, 100, () -> turn(1_000_000));
  }

  @Test
  void cancelledOperationEndsOnce() {
    sockets.receive(socket, RECEIVE);
    engine.cancel(RECEIVE);
    engine.cancel(RECEIVE);
    engine.cancel(99);
    assertThat(next(RECEIVE)).isEqualTo(new Event(RECEIVE, -Errno.ECANCELED, 0));
    turn(1_000_000);
    assertThat(events).isEmpty();
  }

  @Test
  void resetIsToldOnceThenTheStreamEnds() {
    client.reset();
    sockets.receive(socket, RECEIVE);
    assertThat(next(RECEIVE).result).isEqualTo(-Errno.ECONNRESET);
    sockets.send(socket, SEND, bytes(1), 0, 1);
    assertThat(next(SEND).result).isEqualTo(-Errno.EPIPE);
    sockets.receive(socket, RECEIVE);
    assertThat(next(RECEIVE).result).isZero();
    assertThat(sockets.remoteAddress(socket)).isNull();
  }

  @Test
  void closingWithUnreadBytesResetsThePeer() {
    client.send(new byte[10]);
    turn(1_000_000_000L);
    sockets.close(socket);
    world.turnUntil(client::over, 100, () -> turn(1_000_000));
    assertThat(client.errno()).isEqualTo(-Errno.ECONNRESET);
  }

  @Test
  void shutdownSendsFinBehindTheBytes() {
    sockets.send(socket, SEND, bytes(10), 0, 10);
    sockets.shutdown(socket, 1);
    world.turnUntil(client::over, 100, () -> turn(1_000_000));
    assertThat(client.errno()).isZero();
    assertThat(client.receivedBytes()).isEqualTo(10);
  }

  @Test
  void connectsToItsOwnListener() throws IOException {
    int own = sockets.connect(sockets.localAddress(listener), 7);
    List<Long> tokens = List.of(nextAny().token, nextAny().token);
    assertThat(tokens).containsExactlyInAnyOrder(7L, ACCEPT);
    sockets.close(own);
    int refused = sockets.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), 8);
    assertThat(next(8).result).isEqualTo(-Errno.ECONNREFUSED);
    sockets.close(refused);
  }

  private Event nextAny() {
    while (events.isEmpty()) {
      turn(-1);
    }
    return events.removeFirst();
  }

  @Test
  void pollsDescriptors() {
    SimDescriptor descriptor = engine.openDescriptor();
    assertThat(engine.pollOnce(3, 1, POLL)).isEqualTo(-Errno.EOPNOTSUPP);
    assertThat(engine.pollOnce(descriptor.fd(), 1, POLL)).isZero();
    turn(1_000_000);
    assertThat(events).isEmpty();
    world.scheduler().after(5_000, () -> descriptor.ready(1));
    assertThat(next(POLL).result).isEqualTo(1);
  }

  @Test
  void sendsFiles() {
    int fd = engine.openFile(new byte[] {1, 2, 3, 4});
    assertThat(sockets.sendFile(socket, fd, 1, 10)).isEqualTo(3);
    assertThat(sockets.sendFile(socket, fd, 4, 10)).isZero();
    assertThat(sockets.sendFile(socket, 3, 0, 10)).isEqualTo(-Errno.EOPNOTSUPP);
    world.turnUntil(() -> client.receivedBytes() == 3, 100, () -> turn(1_000_000));
    assertThat(client.received()).containsExactly(2, 3, 4);
    engine.closeFile(fd);
  }

  @Test
  void waitingTakesSimulatedTimeOnly() {
    long before = world.clock().nanos();
    turn(3_600_000_000_000L);
    assertThat(world.clock().nanos() - before).isBetween(3_600_000_000_000L, 3_601_000_000_000L);
    engine.wake();
    turn(-1);
    assertThat(events).isEmpty();
  }

  @Test
  void refusesTwoSends() {
    sockets.send(socket, SEND, bytes(1), 0, 1);
    refused("a second send", () -> sockets.sendAll(socket, 9, bytes(1), 0, 1));
  }

  @Test
  void refusesTwoReceives() {
    sockets.receive(socket, RECEIVE);
    refused("armed twice", () -> sockets.receive(socket, 9));
  }

  @Test
  void refusesTheSameTokenTwice() {
    sockets.receive(socket, RECEIVE);
    refused("has the token of", () -> sockets.awaitWritable(socket, RECEIVE));
  }

  @Test
  void refusesToCloseWithAnOperationInFlight() {
    sockets.receive(socket, RECEIVE);
    refused("close with something in flight", () -> sockets.close(socket));
  }

  @Test
  void refusesAClosedSocket() {
    sockets.close(socket);
    refused("not open", () -> sockets.receive(socket, RECEIVE));
  }

  @Test
  void refusesBytesThatChangeInFlight() {
    Block block = Block.allocate(account, 100);
    assertThat(block).isNotNull();
    if (block != null) {
      sockets.send(socket, SEND, block.segment(), 0, 100);
      block.segment().fill((byte) 7);
      block.release();
      refused("byte 0 was changed", () -> turn(0));
    }
  }

  @Test
  void refusesAChunkThatIsGivenBackInFlight() {
    sockets.receive(socket, RECEIVE);
    client.send(new byte[2_048]); // all of a chunk: the kernel keeps no lease on it
    Block chunk = sockets.arena().block(Completion.chunk(next(RECEIVE).flags));
    sockets.sendAll(socket, SEND, chunk.segment(), 0, 100);
    refused("given back in flight", chunk::release);
  }

  @Test
  void refusesAWaitWithoutEnd() {
    refused("nothing can ever happen", () -> next(RECEIVE));
  }

  @Test
  void refusesToSpin() {
    refused("the caller spins", this::spin);
  }

  private void spin() {
    for (int i = 0; i < 10_000; i++) {
      turn(0);
    }
  }

  @Test
  void belongsToOneThread() throws InterruptedException {
    List<Throwable> thrown = new ArrayList<>();
    Thread other =
        Thread.ofPlatform()
            .uncaughtExceptionHandler((thread, e) -> thrown.add(e))
            .start(() -> engine.cancel(1));
    other.join();
    assertThat(thrown).hasSize(1).first().isInstanceOf(WrongThreadException.class);
  }

  @Test
  void violationsAreNotForgottenWhenCodeCatchesThem() {
    refused("not open", () -> sockets.receive(77, RECEIVE));
    refused("not open", () -> turn(0));
  }
}
