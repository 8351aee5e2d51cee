package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
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
import org.junit.jupiter.api.Test;
import sluice.loop.Backend;
import sluice.testbase.Patience;

/// Draining: everybody who got in is answered, and told that this was the last time.
abstract class HttpContractDrain extends HttpContractLife {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /// A little less than an idle connection of a draining server has for its next request.
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(4_500);

  private CompletableFuture<Boolean> drain(Duration patience) {
    return CompletableFuture.supplyAsync(() -> server().drain(patience));
  }

  /// Asks from here, because a loop that has drained already answers no more.
  private void awaitDraining() throws Exception {
    Patience.until("the drain", loop()::draining);
  }

  @Test
  void theNextRequestOfAnIdleConnectionIsAnswered() throws Exception {
    for (int attempt = 0; ; attempt++) {
      long begun = System.nanoTime();
      try {
        askWhileDraining();
        return;
      } catch (IOException late) { // who has not asked in time is let go
        boolean slow = System.nanoTime() - begun > IDLE_NANOS;
        assertThat(slow && attempt < 50).as("attempt %d: %s", attempt, late).isTrue();
        start(config -> config);
      }
    }
  }

  private void askWhileDraining() throws Exception {
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
    CompletableFuture<Boolean> drained = drain(PATIENCE);
    awaitDraining();
    half.send(text.substring(20));
    assertThat(half.read().closes()).isTrue();
    for (HttpPeer peer : peers) {
      HttpAnswer last = peer.get("/miss");
      assertThat(last.status()).isEqualTo(404);
      assertThat(last.closes()).isTrue();
      assertThat(peer.ended()).isTrue();
      peer.close();
    }
    half.close();
    assertThat(silent.get("/a.txt").closes()).isTrue();
    silent.close();
    assertThat(drained.get()).isTrue();
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
    Patience patience = new Patience();
    while (drainer.getState() != Thread.State.TIMED_WAITING) {
      patience.check("the drain");
      Thread.sleep(1); // so that the loop finds it as soon as it goes on
    }
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
      Patience patience = new Patience();
      while (answered.get() < 300) {
        patience.check("answers");
        Thread.sleep(5);
      }
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
