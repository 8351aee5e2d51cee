package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.loop.engine.Backend;
import sluice.loop.engine.ListenOptions;
import sluice.loop.tls.TlsContext;
import sluice.testbase.Await;
import sluice.testkit.machine.Privileges;

/// Draining, as far as it needs sockets of a kernel or threads: accept queues, handshakes and TLS.
abstract class HttpContractDrainSockets extends HttpContractPages {
  private static final int BACKLOG = 8;

  @Test
  void idleConnectionsWithTlsEndSoon(@TempDir Path keyDirectory) throws Exception {
    TestKeys keys = TestKeys.make(keyDirectory);
    TlsContext tls = TlsContext.load(keys.certificate(), keys.key());
    long took = Long.MAX_VALUE;
    for (int attempt = 0; attempt < 20 && took > SOON_NANOS; attempt++) {
      start(config -> HttpConfig.of(config.server().withTls(tls), config.site()));
      try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
          Socket unfinished = new Socket(InetAddress.getLoopbackAddress(), port);
          SSLSocket socket = keys.secure(plain)) {
        plain.setSoTimeout(60_000);
        unfinished.setSoTimeout(60_000);
        unfinished.getOutputStream().write(new byte[] {22, 3, 1, 2, 0}); // a record's head
        String text = HttpPeer.text("HEAD", "/a.txt");
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        await(loop -> loop.connectionCount(), 2);
        long begun = System.nanoTime();
        assertThat(server().drain(DRAIN_TIMEOUT)).isTrue();
        took = Math.min(took, System.nanoTime() - begun);
        String rest = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(rest).startsWith("TTP/1.1 200").endsWith("\r\n\r\n"); // and a close_notify
      }
    }
    assertThat(took).as("nanoseconds, of the fastest attempt").isLessThan(SOON_NANOS);
  }

  /// At most the clients that the kernel had let into the accept queue are served: as many as it
  /// holds, however fast new ones come.
  @Test
  void nothingNewIsAcceptedOnceADrainHasBegun() throws Exception {
    start(config -> {
      ListenOptions listen = new ListenOptions(BACKLOG, false, true);
      return HttpConfig.of(config.server().withListen(listen), config.site());
    });
    AtomicInteger before = new AtomicInteger();
    AtomicInteger after = new AtomicInteger();
    BooleanSupplier drained;
    try (ExecutorService clients = Executors.newCachedThreadPool()) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        running.add(clients.submit(() -> connectThroughTheDrain(before, after)));
      }
      Await.until("answers", () -> before.get() > 300);
      drained = drain(DRAIN_TIMEOUT);
      for (Future<?> each : running) {
        each.get();
      }
    }
    assertThat(drained.getAsBoolean()).isTrue();
    assertThat(after.get()).isLessThanOrEqualTo(BACKLOG + 1);
  }

  private Void connectThroughTheDrain(AtomicInteger before, AtomicInteger after) throws Exception {
    Await await = new Await();
    while (!loop().stopping()) {
      await.check("the end of the drain");
      boolean draining = loop().draining();
      try (HttpPeer peer = new HttpPeer(port)) {
        assertThat(peer.get("/a.txt", "Connection: close").text()).isEqualTo("alpha");
        (draining ? after : before).incrementAndGet();
      } catch (IOException e) {
        if (draining && e instanceof ConnectException) {
          return null;
        }
      }
    }
    return null;
  }

  @Test
  void aClientInTheAcceptQueueIsAnswered() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    loop().execute(() -> awaitQuietly(blocked));
    List<HttpPeer> peers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      peers.add(peer().send(HttpPeer.text("GET", i % 2 == 0 ? "/a.txt" : "/b.txt")));
    }
    CompletableFuture<Boolean> drained = new CompletableFuture<>();
    Thread drainer = new Thread(() -> drained.complete(server().drain(DRAIN_TIMEOUT)));
    drainer.start();
    // so that the loop finds it as soon as it goes on
    Await.until("the drain", () -> drainer.getState() == Thread.State.TIMED_WAITING);
    blocked.countDown();
    for (HttpPeer peer : peers) {
      HttpAnswer reply = peer.read();
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.closes()).isTrue();
      assertThat(peer.ended()).isTrue();
      peer.close();
    }
    assertThat(drained.get()).isTrue();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aClientThatGotInUnderLoadIsAnswered() throws Exception {
    AtomicInteger answered = new AtomicInteger();
    AtomicInteger turnedAway = new AtomicInteger();
    BooleanSupplier drained;
    try (ExecutorService clients = Executors.newCachedThreadPool()) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        running.add(clients.submit(() -> connectUntilRefused(answered, turnedAway)));
      }
      Await.until("answers", () -> answered.get() >= 300);
      drained = drain(DRAIN_TIMEOUT);
      for (Future<?> each : running) {
        each.get();
      }
    }
    assertThat(drained.getAsBoolean()).isTrue();
    if (backend() != Backend.JDK && Privileges.hasSocketFilters()) {
      assertThat(turnedAway.get()).isZero();
    }
  }

  /// New connections with a request each, and some kept for another one.
  private Void connectUntilRefused(AtomicInteger answered, AtomicInteger turnedAway)
      throws IOException {
    Await await = new Await();
    while (true) {
      await.check("a refusal");
      HttpPeer peer;
      try {
        peer = new HttpPeer(port);
      } catch (ConnectException | SocketTimeoutException e) {
        return null;
      } catch (SocketException e) {
        turnedAway.incrementAndGet(); // reset while it connected
        continue;
      }
      long asked = System.nanoTime();
      try (peer) {
        HttpAnswer reply = peer.get("/a.txt");
        assertThat(reply.text()).isEqualTo("alpha");
        while (!reply.closes() && answered.incrementAndGet() % 5 != 0) {
          asked = System.nanoTime();
          reply = peer.get("/b.txt");
        }
      } catch (IOException e) {
        // without help of the kernel, between the last accept and the close; or it stood still
        if (System.nanoTime() - asked < IDLE_NANOS) {
          turnedAway.incrementAndGet();
        }
      }
    }
  }

  /// The client has its half of the connection as soon as it has the SYN-ACK, which is kept from it
  /// here for a while: the kernel sends it again after a second.
  @Test
  void aHandshakeUnderWayIsFinishedAndAnswered() throws Exception {
    if (backend() == Backend.JDK) {
      return; // it cannot know of handshakes
    }
    for (int attempt = 0; ; attempt++) {
      try (SlowHandshake client = new SlowHandshake(port)) {
        BooleanSupplier drained = drain(DRAIN_TIMEOUT);
        if (client.letIn()) {
          HttpAnswer reply = client.get("/a.txt");
          assertThat(reply.text()).isEqualTo("alpha");
          assertThat(reply.closes()).isTrue();
          assertThat(drained.getAsBoolean()).isTrue();
          return;
        }
        boolean _ = drained.getAsBoolean();
      }
      assertThat(attempt).as("too slow for its second, again and again").isLessThan(50);
      start(config -> config);
    }
  }

  @Test
  void aHandshakeThatIsNotFinishedDoesNotKeepADrain() throws Exception {
    if (backend() == Backend.JDK) {
      return;
    }
    try (SlowHandshake client = new SlowHandshake(port)) {
      assertThat(drain(DRAIN_TIMEOUT).getAsBoolean()).isTrue();
      assertThat(client.connected()).isFalse();
    }
  }
}
