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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.loop.engine.Backend;
import sluice.loop.engine.ListenOptions;
import sluice.loop.tls.TlsContext;
import sluice.testbase.Patience;

/// Draining: each client that got in is answered, and told that this was the last time.
abstract class HttpContractDrain extends HttpContractLife {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /// A little less than an idle connection of a draining server has for its next request.
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /// Less than what the end of connections that ask for nothing took before it was bounded: 7 s.
  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(4);

  private static final int BACKLOG = 8;

  private CompletableFuture<Boolean> drain(Duration patience) {
    return CompletableFuture.supplyAsync(() -> server().drain(patience));
  }

  /// Asks from here, because a loop that has drained already answers no more.
  private void awaitDraining() throws Exception {
    Patience.until("the drain", loop()::draining);
  }

  @Test
  void theNextRequestOfAnIdleConnectionIsAnswered() throws Exception {
    for (int attempt = 0; !askWhileDraining(); attempt++) {
      assertThat(attempt).as("too slow for a quarter of a second").isLessThan(50);
      start(config -> config);
    }
  }

  /// @return false when the machine was too slow, so that the idle connections had been let go
  private boolean askWhileDraining() throws Exception {
    List<HttpPeer> peers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      HttpPeer peer = peer();
      assertThat(peer.get("/a.txt").closes()).isFalse();
      peers.add(peer);
    }
    HttpPeer half = peer();
    String text = HttpPeer.text("GET", "/b.txt");
    half.send(text.substring(0, 20));
    HttpPeer silent = peer();
    await(loop -> loop.connectionCount(), 22);
    long begun = System.nanoTime();
    CompletableFuture<Boolean> drained = drain(PATIENCE);
    awaitDraining();
    half.trySend(text.substring(20).getBytes(StandardCharsets.US_ASCII));
    silent.trySend(text.getBytes(StandardCharsets.US_ASCII));
    for (HttpPeer peer : peers) {
      peer.trySend(HttpPeer.text("GET", "/miss").getBytes(StandardCharsets.US_ASCII));
    }
    if (System.nanoTime() - begun > IDLE_NANOS) {
      drained.get();
      return false;
    }
    assertThat(half.read().closes()).isTrue();
    assertThat(silent.read().closes()).isTrue();
    for (HttpPeer peer : peers) {
      HttpAnswer last = peer.read();
      assertThat(last.status()).isEqualTo(404);
      assertThat(last.closes()).isTrue();
      assertThat(peer.ended()).isTrue();
      peer.close();
    }
    half.close();
    silent.close();
    assertThat(drained.get()).isTrue();
    return true;
  }

  /// None of these clients ends its connection when the server has ended its half.
  @Test
  void connectionsThatAskForNothingEndSoon() throws Exception {
    long took = Long.MAX_VALUE;
    for (int attempt = 0; attempt < 20 && took > SOON_NANOS; attempt++) {
      start(config -> config);
      HttpPeer idle = peer();
      assertThat(idle.get("/a.txt").closes()).isFalse();
      HttpPeer half = peer().send("GET /a.t");
      HttpPeer silent = peer();
      await(loop -> loop.connectionCount(), 3);
      long begun = System.nanoTime();
      assertThat(server().drain(PATIENCE)).isTrue();
      took = Math.min(took, System.nanoTime() - begun);
      assertThat(idle.ended()).isTrue();
      HttpAnswer late = half.read();
      assertThat(late.status()).isEqualTo(408);
      assertThat(late.closes()).isTrue();
      assertThat(half.ended()).isTrue();
      assertThat(silent.ended()).isTrue();
    }
    assertThat(took).as("nanoseconds, of the fastest attempt").isLessThan(SOON_NANOS);
  }

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
        assertThat(server().drain(PATIENCE)).isTrue();
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
    CompletableFuture<Boolean> drained;
    try (ExecutorService clients = Executors.newCachedThreadPool()) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        running.add(clients.submit(() -> connectThroughTheDrain(before, after)));
      }
      Patience.until("answers", () -> before.get() > 300);
      drained = drain(PATIENCE);
      for (Future<?> each : running) {
        each.get();
      }
    }
    assertThat(drained.get()).isTrue();
    assertThat(after.get()).isLessThanOrEqualTo(BACKLOG + 1);
  }

  private Void connectThroughTheDrain(AtomicInteger before, AtomicInteger after) throws Exception {
    Patience patience = new Patience();
    while (!loop().stopping()) {
      patience.check("the end of the drain");
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
  void whoWaitsInTheAcceptQueueIsAnswered() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    loop().execute(() -> awaitQuietly(blocked));
    List<HttpPeer> peers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      peers.add(peer().send(HttpPeer.text("GET", i % 2 == 0 ? "/a.txt" : "/b.txt")));
    }
    CompletableFuture<Boolean> drained = new CompletableFuture<>();
    Thread drainer = new Thread(() -> drained.complete(server().drain(PATIENCE)));
    drainer.start();
    // so that the loop finds it as soon as it goes on
    Patience.until("the drain", () -> drainer.getState() == Thread.State.TIMED_WAITING);
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
  void repliesUnderWayAreFinished() throws Exception {
    byte[] content = pattern(60 << 20, 4);
    write("large.bin", content);
    HttpPeer reading = peer();
    reading.send(HttpPeer.text("GET", "/large.bin"));
    reading.readHead();
    HttpPeer pipelined = peer(8_192);
    pipelined.send(HttpPeer.text("GET", "/large.bin").repeat(2));
    assertThat(pipelined.readHead().closes()).isFalse();
    CompletableFuture<Boolean> drained = drain(PATIENCE);
    awaitDraining();
    assertThat(Arrays.equals(reading.readBytes(content.length), content)).isTrue();
    reading.close();
    assertThat(Arrays.equals(pipelined.readBytes(content.length), content)).isTrue();
    HttpAnswer last = pipelined.read();
    assertThat(Arrays.equals(last.body(), content)).isTrue();
    assertThat(last.closes()).isTrue();
    pipelined.close();
    assertThat(drained.get()).isTrue();
  }

  @Test
  void whoGotInUnderLoadIsAnswered() throws Exception {
    AtomicInteger answered = new AtomicInteger();
    AtomicInteger turnedAway = new AtomicInteger();
    CompletableFuture<Boolean> drained;
    try (ExecutorService clients = Executors.newCachedThreadPool()) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        running.add(clients.submit(() -> connectUntilRefused(answered, turnedAway)));
      }
      Patience.until("answers", () -> answered.get() >= 300);
      drained = drain(PATIENCE);
      for (Future<?> each : running) {
        each.get();
      }
    }
    assertThat(drained.get()).isTrue();
    if (backend() != Backend.JDK) {
      assertThat(turnedAway.get()).isZero();
    }
  }

  /// New connections with a request each, and some kept for another one.
  private Void connectUntilRefused(AtomicInteger answered, AtomicInteger turnedAway)
      throws IOException {
    Patience patience = new Patience();
    while (true) {
      patience.check("a refusal");
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
        CompletableFuture<Boolean> drained = drain(PATIENCE);
        awaitDraining();
        if (client.letIn()) {
          HttpAnswer reply = client.get("/a.txt");
          assertThat(reply.text()).isEqualTo("alpha");
          assertThat(reply.closes()).isTrue();
          assertThat(drained.get()).isTrue();
          return;
        }
        drained.get();
      }
      assertThat(attempt).as("too slow for its second, again and again").isLessThan(50);
      start(config -> config);
    }
  }

  @Test
  void aHandshakeThatNobodyFinishesDoesNotKeepADrain() throws Exception {
    if (backend() == Backend.JDK) {
      return;
    }
    try (SlowHandshake client = new SlowHandshake(port)) {
      assertThat(drain(PATIENCE).get()).isTrue();
      assertThat(client.connected()).isFalse();
    }
  }

  @Test
  void drainingEndsInTimeAndSaysWhetherItCutSomebodyOff() throws Exception {
    write("large.bin", new byte[60 << 20]);
    HttpPeer lazy = peer(8_192);
    lazy.send(HttpPeer.text("GET", "/large.bin"));
    lazy.readHead();
    long start = System.nanoTime();
    assertThat(server().drain(Duration.ofMillis(500))).isFalse();
    assertThat(System.nanoTime() - start).isLessThan(PATIENCE.toNanos());
    start(config -> config);
    assertThat(server().drain(PATIENCE)).isTrue();
    start(config -> config);
  }
}
