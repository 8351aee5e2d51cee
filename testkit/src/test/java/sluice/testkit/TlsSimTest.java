package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.tls.TlsContext;
import sluice.loop.tls.TlsOptions;
import sluice.testkit.EchoProtocol.Habits;
import sluice.testkit.sim.SimClient;
import sluice.testkit.sim.SimEngine;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimWorld;

/// Tests of TLS over the simulated engine, with a kernel with all faults and peers that split
/// records anywhere. The reply is a prefix of the expected one, and complete unless the connection
/// broke; at the end no resource is held.
@Timeout(300)
class TlsSimTest {
  private static final long SEEDS = 2_000;
  private static final int MAX_TURNS = 400_000;
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final LoopConfig CONFIG =
      new LoopConfig(100, 64 << 10, 64 << 20, 64 << 10, 600 * SECOND_NANOS, 2 * SECOND_NANOS);

  /// A client with its expected reply.
  private static final class Talk {
    final SimClient client;
    final TlsPeer peer;
    final byte[] expected;
    final boolean lenient;

    Talk(SimClient client, TlsPeer peer, byte[] expected, boolean lenient) {
      this.client = client;
      this.peer = peer;
      this.expected = expected;
      this.lenient = lenient;
    }

    boolean whole() {
      boolean all = peer.received().length == expected.length;
      return all && peer.toldTheEnd() && !peer.broken();
    }

    void check(SimWorld world) {
      byte[] received = peer.received();
      boolean beginning =
          received.length <= expected.length
              && Arrays.equals(received, 0, received.length, expected, 0, received.length);
      world.check(beginning, "client " + client.id() + " received wrong bytes");
      world.check(
          whole() || lenient || client.brokenByFault(),
          "client %d got %d of %d bytes, end %b, broken %b"
              .formatted(
                  client.id(), received.length, expected.length, peer.toldTheEnd(), peer.broken()));
    }
  }

  /// Returns the path of a certificate or key for tests.
  static Path file(String name) {
    URL found = TlsSimTest.class.getResource("tls/test-only-" + name);
    try {
      return Path.of(Objects.requireNonNull(found, name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Returns the context of clients, with the certificates that they trust.
  static SSLContext clients() throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    try (InputStream in = Files.newInputStream(file("ec.pem"))) {
      trusted.setCertificateEntry(
          "server", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static Talk talk(
      SimWorld world, SSLContext context, SocketAddress address, Habits habits) {
    SimRandom random = world.random();
    int messageBytes = habits.messageBytes();
    byte[] bytes = random.bytes(messageBytes * random.skewed(habits.mostMessages()));
    byte[] expected = Conversation.repeated(bytes, messageBytes, habits.repeats());
    SimClient client = world.client();
    boolean says = random.chance(800);
    TlsPeer peer = new TlsPeer(client, random.split(), context, bytes, says);
    boolean garbage = random.chance(60);
    Runnable start =
        garbage
            ? () -> client.listener(c -> {}).connect(address).send(bytes).finish()
            : () -> {
              client.connect(address);
              peer.start();
            };
    world.scheduler().after(random.below(2_000_000), start);
    boolean givesUp = random.chance(100);
    if (givesUp) {
      client.resetAfter(random.skewed(20_000_000));
    }
    boolean lenient = givesUp || garbage || !says || habits.deadlineNanos() > 0;
    return new Talk(client, peer, expected, lenient);
  }

  /// Runs an echo.
  ///
  /// @return the number of conversations that completed without an error
  private static int echo(SimWorld world, TlsContext server, SSLContext clients)
      throws IOException {
    SimRandom random = world.random();
    Habits habits = Habits.random(random);
    SimEngine engine = world.engine();
    Loop loop = new Loop("sim", engine, CONFIG, world.clock(), world.scheduler().executor(500_000));
    EchoProtocol protocol = new EchoProtocol(engine, random, habits);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    SocketAddress address =
        loop.listen(any, ListenOptions.DEFAULT, protocol, server).localAddress();
    List<Talk> talks = new ArrayList<>();
    for (int i = random.between(1, 6); i > 0; i--) {
      talks.add(talk(world, clients, address, habits));
    }
    world.turnUntil(
        () -> talks.stream().allMatch(t -> t.client.over()),
        MAX_TURNS,
        () -> {
          loop.turn(-1);
          talks.forEach(t -> t.peer.endAfter(t.expected.length));
        });
    loop.drain(60 * SECOND_NANOS);
    world.turnUntil(loop::stopping, MAX_TURNS, () -> loop.turn(-1));
    world.check(loop.connectionCount() == 0, "connections are left: " + loop.connectionCount());
    world.check(protocol.openCount() == 0, "connections whose end the protocol was not told");
    world.check(
        loop.heldBytes() == 0, "the loop holds bytes without a connection: " + loop.heldBytes());
    world.check(loop.counters().handlerFailures() == 0, "a handler failed");
    world.check(loop.counters().taskFailures() == 0, "a task failed");
    engine.checkNothingLeft();
    loop.close();
    talks.forEach(t -> t.check(world));
    return (int) talks.stream().filter(Talk::whole).count();
  }

  /// Returns a server context whose handshakes may take ten minutes of simulated time.
  static TlsContext patientServer() throws Exception {
    TlsOptions patient =
        TlsOptions.HTTP
            .withApplicationProtocols(List.of())
            .withHandshakeTimeoutNanos(600 * SECOND_NANOS)
            .withReloadCheckNanos(0);
    return TlsContext.load(file("ec.pem"), file("ec.key"), patient);
  }

  @Test
  void everyMessageComesBack() throws Exception {
    TlsContext server = patientServer();
    SSLContext clients = clients();
    AtomicInteger whole = new AtomicInteger();
    SimWorld.runSeeds(SEEDS, world -> whole.addAndGet(echo(world, server, clients)));
    if (Long.getLong("sluice.seed") == null) { // a single world may cut all of them off
      assertThat(whole.get()).as("conversations that went well").isPositive();
    }
  }

  @Test
  void aHandshakeThatTakesTooLongIsCutOff() throws Exception {
    TlsOptions hasty = TlsOptions.HTTP.withHandshakeTimeoutNanos(SECOND_NANOS);
    TlsContext server = TlsContext.load(file("ec.pem"), file("ec.key"), hasty);
    SimWorld.runSeeds(
        200,
        world -> {
          SimEngine engine = world.engine();
          Loop loop =
              new Loop("sim", engine, CONFIG, world.clock(), world.scheduler().executor(1_000));
          EchoProtocol protocol =
              new EchoProtocol(engine, world.random(), new Habits(5, 1, 0, 0, 0, 0));
          InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
          SocketAddress address =
              loop.listen(any, ListenOptions.DEFAULT, protocol, server).localAddress();
          byte[] half = {22, 3, 1, 1, 0, 1};
          SimClient client =
              world.client().connect(address).send(Arrays.copyOf(half, world.random().below(7)));
          world.turnUntil(client::over, MAX_TURNS, () -> loop.turn(-1));
          world.check(loop.heldBytes() == 0, "bytes are held");
          loop.drain(SECOND_NANOS);
          world.turnUntil(loop::stopping, MAX_TURNS, () -> loop.turn(-1));
          loop.close();
          engine.checkNothingLeft();
        });
  }
}
