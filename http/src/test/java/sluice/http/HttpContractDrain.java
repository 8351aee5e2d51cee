package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/// Draining: each client that got in is answered, and told that this was the last time.
abstract class HttpContractDrain extends HttpContractLife {
  static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(60);

  /// A little less than an idle connection of a draining server has for its next request.
  static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /// Less than what the end of connections that ask for nothing took before it was bounded: 7 s.
  static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(4);

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
    long begun = nanos();
    BooleanSupplier drained = drain(DRAIN_TIMEOUT);
    half.trySend(text.substring(20).getBytes(StandardCharsets.US_ASCII));
    silent.trySend(text.getBytes(StandardCharsets.US_ASCII));
    for (HttpPeer peer : peers) {
      peer.trySend(HttpPeer.text("GET", "/miss").getBytes(StandardCharsets.US_ASCII));
    }
    if (nanos() - begun > IDLE_NANOS) {
      boolean _ = drained.getAsBoolean();
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
    assertThat(drained.getAsBoolean()).isTrue();
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
      long begun = nanos();
      assertThat(drain(DRAIN_TIMEOUT).getAsBoolean()).isTrue();
      took = Math.min(took, nanos() - begun);
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
  void repliesUnderWayAreFinished() throws Exception {
    byte[] content = pattern(beyondBuffers(), 4);
    write("large.bin", content);
    HttpPeer reading = peer();
    reading.send(HttpPeer.text("GET", "/large.bin"));
    reading.readHead();
    HttpPeer pipelined = peer(8_192);
    pipelined.send(HttpPeer.text("GET", "/large.bin").repeat(2));
    assertThat(pipelined.readHead().closes()).isFalse();
    BooleanSupplier drained = drain(DRAIN_TIMEOUT);
    assertThat(Arrays.equals(reading.readBytes(content.length), content)).isTrue();
    reading.close();
    assertThat(Arrays.equals(pipelined.readBytes(content.length), content)).isTrue();
    HttpAnswer last = pipelined.read();
    assertThat(Arrays.equals(last.body(), content)).isTrue();
    assertThat(last.closes()).isTrue();
    pipelined.close();
    assertThat(drained.getAsBoolean()).isTrue();
  }

  @Test
  void drainingEndsInTimeAndSaysWhetherItCutAClientOff() throws Exception {
    write("large.bin", new byte[beyondBuffers()]);
    HttpPeer lazy = peer(8_192);
    lazy.send(HttpPeer.text("GET", "/large.bin"));
    lazy.readHead();
    long begun = nanos();
    assertThat(drain(Duration.ofMillis(500)).getAsBoolean()).isFalse();
    assertThat(nanos() - begun).isLessThan(DRAIN_TIMEOUT.toNanos());
    start(config -> config);
    assertThat(drain(DRAIN_TIMEOUT).getAsBoolean()).isTrue();
    start(config -> config);
  }
}
