package sluice.testkit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.tls.TlsContext;
import sluice.testkit.EchoProtocol.Habits;
import sluice.testkit.sim.SimClient;
import sluice.testkit.sim.SimEngine;
import sluice.testkit.sim.SimFault;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimWorld;

/// Tests of slow readers with and without TLS on one loop of a simulated kernel, which has much
/// less memory for output than they leave unread. The limit holds in every turn, every reply
/// arrives completely, and neither kind of reader is favoured.
@Timeout(300)
class MixedReadersSimTest {
  private static final long SEEDS = 10;
  private static final int MAX_TURNS = 20_000_000;
  private static final long SECOND_NANOS = 1_000_000_000L;

  /// The number of peers of each kind.
  private static final int PEERS = 24;

  private static final int MESSAGE_BYTES = 500;
  private static final int MESSAGES = 4;
  private static final int REPEATS = 30;
  private static final int REPLY_BYTES = MESSAGE_BYTES * MESSAGES * REPEATS;

  /// The memory for the output of 48 peers with 60 KB each. The reserve, an eighth, holds the reply
  /// to one message.
  private static final int OUTPUT_BYTES = 160_000;

  /// The minimum share of bytes that one kind must have received when all peers of the other are
  /// done.
  private static final int LEAST_PERCENT = 75;

  private static final SimClient.Pace PACE = new SimClient.Pace(4_096, 2_048, 400_000, 0);

  /// A client that reads as slowly as all others.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Reader(
      SimClient client, byte[] expected, IntSupplier bytes, Supplier<byte[]> received) {
    void check(SimWorld world) {
      world.check(
          Arrays.equals(received.get(), expected),
          "client %d got %d of %d bytes".formatted(client.id(), bytes.getAsInt(), expected.length));
    }
  }

  private static Reader plain(SimWorld world, SocketAddress address, byte[] bytes) {
    SimClient client = world.client(PACE);
    client.connect(address).send(bytes).finish();
    byte[] expected = Conversation.repeated(bytes, MESSAGE_BYTES, REPEATS);
    return new Reader(client, expected, client::receivedBytes, client::received);
  }

  private static Reader secure(
      SimWorld world, SocketAddress address, byte[] bytes, SSLContext context) {
    SimClient client = world.client(PACE);
    TlsPeer peer = new TlsPeer(client, world.random().split(), context, bytes, true);
    client.connect(address);
    peer.start();
    byte[] expected = Conversation.repeated(bytes, MESSAGE_BYTES, REPEATS);
    world.scheduler().after(SECOND_NANOS / 100, () -> endAfter(world, peer, client));
    return new Reader(client, expected, peer::receivedBytes, peer::received);
  }

  /// Ends a TLS 1.2 client when it has everything, because TLS 1.2 has no half-close.
  private static void endAfter(SimWorld world, TlsPeer peer, SimClient client) {
    peer.endAfter(REPLY_BYTES);
    if (!client.over()) {
      world.scheduler().after(SECOND_NANOS / 100, () -> endAfter(world, peer, client));
    }
  }

  private static void talk(SimWorld world, TlsContext server, SSLContext clients) throws Exception {
    world.faults().with(SimFault.RESET, 0).with(SimFault.ACCEPT_ABORTED, 0);
    SimRandom random = world.random();
    SimEngine engine = world.engine();
    LoopConfig config =
        new LoopConfig(1_000, 64 << 10, 1L << 30, 64 << 10, 600 * SECOND_NANOS, 2 * SECOND_NANOS)
            .withOutputBytes(OUTPUT_BYTES);
    Loop loop = new Loop("sim", engine, config, world.clock(), world.scheduler().executor(500_000));
    Habits habits = new Habits(MESSAGE_BYTES, REPEATS, 0, 0, 0, 0);
    EchoProtocol protocol = new EchoProtocol(engine, random, habits);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    SocketAddress open = loop.listen(any, ListenOptions.DEFAULT, protocol).localAddress();
    SocketAddress closed = loop.listen(any, ListenOptions.DEFAULT, protocol, server).localAddress();
    List<Reader> plain = new ArrayList<>();
    List<Reader> secure = new ArrayList<>();
    for (int i = 0; i < PEERS; i++) {
      plain.add(plain(world, open, random.bytes(MESSAGE_BYTES * MESSAGES)));
      secure.add(secure(world, closed, random.bytes(MESSAGE_BYTES * MESSAGES), clients));
    }
    untilDone(world, loop, plain, secure);
    long cut = loop.counters().overBudgetConnections() + loop.counters().writeTimeouts();
    world.check(cut == 0, cut + " connections were ended for want of memory");
    plain.forEach(each -> each.check(world));
    secure.forEach(each -> each.check(world));
    world.check(loop.counters().outputWaits() > 0, "memory was never short");
    loop.drain(60 * SECOND_NANOS);
    world.turnUntil(loop::stopping, MAX_TURNS, () -> loop.turn(-1));
    world.check(loop.heldBytes() == 0, "the loop holds bytes: " + loop.heldBytes());
    loop.close();
    engine.checkNothingLeft();
  }

  private static void untilDone(
      SimWorld world, Loop loop, List<Reader> plain, List<Reader> secure) {
    turnUntil(world, loop, () -> percent(plain) == 100 || percent(secure) == 100);
    int least = Math.min(percent(plain), percent(secure));
    world.check(
        least >= LEAST_PERCENT,
        "plain has %d %%, TLS %d %%".formatted(percent(plain), percent(secure)));
    turnUntil(
        world,
        loop,
        () ->
            plain.stream().allMatch(each -> each.client.over())
                && secure.stream().allMatch(each -> each.client.over()));
  }

  private static void turnUntil(SimWorld world, Loop loop, BooleanSupplier done) {
    world.turnUntil(
        done,
        MAX_TURNS,
        () -> {
          loop.turn(-1);
          long output = loop.outputBytes();
          world.check(output <= OUTPUT_BYTES, "output has taken " + output + " bytes");
        });
  }

  private static int percent(List<Reader> readers) {
    long bytes = readers.stream().mapToLong(each -> each.bytes.getAsInt()).sum();
    return (int) (100 * bytes / ((long) PEERS * REPLY_BYTES));
  }

  @Test
  void bothKindsArriveWholeAndSideBySide() throws Exception {
    TlsContext server = TlsSimTest.patientServer();
    SSLContext clients = TlsSimTest.clients();
    SimWorld.runSeeds(SEEDS, world -> talk(world, server, clients));
  }
}
