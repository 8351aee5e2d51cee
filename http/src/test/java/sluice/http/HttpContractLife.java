package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.testbase.Await;

/// Connections that end in every phase, and files that change while they are sent.
abstract class HttpContractLife extends HttpContractRefusals {
  @Test
  void resetsInEveryPhaseLeaveNothingBehind() throws Exception {
    write("large.bin", pattern(20 << 20, 1));
    String request = HttpPeer.text("GET", "/a.txt");
    String large = HttpPeer.text("GET", "/large.bin");
    get("/a.txt");
    await(loop -> loop.connectionCount(), 0);
    long descriptors = openDescriptors();
    for (int i = 0; i < 200; i++) {
      HttpPeer peer = connect();
      switch (i % 8) {
        case 0 -> {}
        case 1 -> peer.send(request.substring(0, i / 8));
        case 2 -> peer.send(request);
        case 3 -> peer.send(request.repeat(50));
        case 4 -> peer.get("/a.txt");
        case 5 -> peer.send(HttpPeer.text("GET", "/miss" + i));
        case 6 -> {
          peer.send(large + request);
          peer.readBytes(i * 1_000L);
        }
        default ->
            peer.send(HttpPeer.text("POST", "/a.txt", "Content-Length: 9999") + "x".repeat(i));
      }
      if (i % 3 == 0) {
        peer.close();
      } else {
        peer.reset();
      }
    }
    await(loop -> loop.connectionCount(), 0);
    assertThat(onLoop(loop -> loop.heldBytes())).isZero();
    assertThat(get("/a.txt").text()).isEqualTo("alpha");
    Files.delete(root.resolve("large.bin"));
    get("/large.bin");
    assertDescriptors(descriptors);
  }

  private void assertDescriptors(long most) throws Exception {
    Await.untilAsserted(() -> assertThat(openDescriptors()).isLessThanOrEqualTo(most));
  }

  @Test
  void manyConnectionsComeAndGo() throws Exception {
    get("/a.txt");
    await(loop -> loop.connectionCount(), 0);
    long descriptors = openDescriptors();
    for (int round = 0; round < 4; round++) {
      List<HttpPeer> peers = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        HttpPeer peer = connect();
        peer.send(HttpPeer.text("GET", i % 2 == 0 ? "/a.txt" : "/none"));
        peers.add(peer);
      }
      for (HttpPeer peer : peers) {
        assertThat(peer.read().status()).isIn(200, 404);
      }
      assertThat(onLoop(loop -> loop.connectionCount())).isEqualTo(400);
      for (HttpPeer peer : peers) {
        peer.close();
      }
      await(loop -> loop.connectionCount(), 0);
      assertThat(onLoop(loop -> loop.heldBytes())).isZero();
    }
    assertDescriptors(descriptors);
  }

  @Test
  void aTruncatedFileAbortsItsReply() throws Exception {
    int size = 2 * beyondBuffers();
    write("large.bin", new byte[size]);
    HttpPeer peer = peer();
    HttpPeer other = peer();
    peer.send(HttpPeer.text("GET", "/large.bin"));
    HttpAnswer head = peer.readHead();
    assertThat(head.contentLength()).isEqualTo(size);
    try (RandomAccessFile file = new RandomAccessFile(root.resolve("large.bin").toFile(), "rw")) {
      file.setLength(size / 2);
    }
    assertThat(readRest(peer).length).isLessThan(size);
    assertThat(other.get("/a.txt").text()).isEqualTo("alpha");
    assertThat(get("/large.bin").contentLength()).isEqualTo(size / 2);
  }

  /// What comes until the connection ends in any way.
  private static byte[] readRest(HttpPeer peer) throws IOException {
    try {
      return peer.readAll();
    } catch (SocketException e) {
      return new byte[0];
    }
  }

  @Test
  void aReplacedFileIsSentToItsEnd() throws Exception {
    byte[] before = pattern(beyondBuffers() / 2, 1);
    byte[] after = pattern(beyondBuffers() / 2 + 1, 2);
    write("large.bin", before);
    HttpPeer peer = peer();
    peer.send(HttpPeer.text("GET", "/large.bin"));
    peer.readHead();
    replace("large.bin", after);
    HttpPeer next = peer();
    next.send(HttpPeer.text("GET", "/large.bin"));
    next.readHead();
    assertThat(Arrays.equals(peer.readBytes(before.length), before)).isTrue();
    Files.delete(root.resolve("large.bin"));
    assertThat(Arrays.equals(next.readBytes(after.length), after)).isTrue();
    assertThat(peer.get("/large.bin").status()).isEqualTo(404);
    assertThat(next.get("/large.bin").status()).isEqualTo(404);
  }

  @Test
  void replyIsNotLostWhenTheClientHasMoreToSay() throws Exception {
    // closing with unread input would reset the connection and destroy the reply
    for (int i = 0; i < 50; i++) {
      HttpPeer peer = peer();
      String bad = "BAD\r\n\r\n" + "x".repeat(60_000);
      peer.trySend(bad.getBytes(StandardCharsets.US_ASCII));
      peer.trySend(bad.getBytes(StandardCharsets.US_ASCII));
      assertThat(peer.read().status()).isEqualTo(400);
      assertThat(peer.gone()).isTrue();
    }
  }
}
