package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Patience;

/// Connections that end in every phase, and files that change while they are sent.
abstract class HttpContractLife extends HttpContractDrain {
  private static final int LARGE = 100 << 20;

  @Test
  void resetsInEveryPhaseLeaveNothingBehind() throws Exception {
    write("large.bin", pattern(20 << 20, 1));
    String request = HttpPeer.text("GET", "/a.txt");
    String large = HttpPeer.text("GET", "/large.bin");
    get("/a.txt");
    await(loop -> loop.connectionCount(), 0);
    long descriptors = openDescriptors();
    for (int i = 0; i < 200; i++) {
      HttpPeer peer = new HttpPeer(port);
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
    Patience.untilAsserted(() -> assertThat(openDescriptors()).isLessThanOrEqualTo(most));
  }

  @Test
  void manyConnectionsComeAndGo() throws Exception {
    get("/a.txt");
    await(loop -> loop.connectionCount(), 0);
    long descriptors = openDescriptors();
    for (int round = 0; round < 4; round++) {
      List<HttpPeer> peers = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        HttpPeer peer = new HttpPeer(port);
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
    write("large.bin", new byte[LARGE]);
    HttpPeer peer = peer();
    HttpPeer other = peer();
    peer.send(HttpPeer.text("GET", "/large.bin"));
    HttpAnswer head = peer.readHead();
    assertThat(head.contentLength()).isEqualTo(LARGE);
    try (RandomAccessFile file = new RandomAccessFile(root.resolve("large.bin").toFile(), "rw")) {
      file.setLength(LARGE / 2);
    }
    assertThat(readRest(peer).length).isLessThan(LARGE);
    assertThat(other.get("/a.txt").text()).isEqualTo("alpha");
    assertThat(get("/large.bin").contentLength()).isEqualTo(LARGE / 2);
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
    byte[] before = pattern(30 << 20, 1);
    byte[] after = pattern(31 << 20, 2);
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
  void aDeletedFileGivesItsSpaceBack() throws Exception {
    Path file = write("large.bin", new byte[5 << 20]);
    get("/large.bin");
    HttpPeer peer = peer();
    peer.send(HttpPeer.text("GET", "/large.bin"));
    peer.readHead();
    Files.delete(file);
    assertThat(peer.readBytes(5 << 20)).hasSize(5 << 20);
    // no request comes any more, and yet it is closed
    Patience.until("the end of the deleted file", () -> !holds(file));
  }

  private static boolean holds(Path deleted) throws IOException {
    try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.anyMatch(fd -> target(fd).startsWith(deleted.toString()));
    }
  }

  /// The kernel may keep references to pages of the file instead of copies, in the sender's queue
  /// and, between two sockets of one machine, in the receiver's: so this reads late.
  @ParameterizedTest
  @ValueSource(ints = {1_100_000, 3 << 20, 12 << 20, 50 << 20})
  void aRewriteInPlaceNeverMixesVersions(int size) throws Exception {
    byte[] before = new byte[size];
    Arrays.fill(before, (byte) 'a');
    byte[] after = new byte[size];
    Arrays.fill(after, (byte) 'b');
    write("mixed.bin", before);
    HttpPeer peer = peer();
    peer.send(HttpPeer.text("GET", "/mixed.bin"));
    peer.readHead();
    long settled = -1;
    for (long now = fileBytes(); now != settled; now = fileBytes()) {
      settled = now;
      Thread.sleep(50);
    }
    try (RandomAccessFile file = new RandomAccessFile(root.resolve("mixed.bin").toFile(), "rw")) {
      file.write(after);
    }
    byte[] got = readRest(peer, size);
    if (got.length == size) {
      assertThat(Arrays.equals(got, before) || Arrays.equals(got, after)).isTrue();
    }
    assertThat(Arrays.equals(get("/mixed.bin").body(), after)).isTrue();
  }

  private long fileBytes() {
    return onLoop(loop -> loop.counters().fileBytes());
  }

  private static byte[] readRest(HttpPeer peer, int count) throws IOException {
    try {
      return peer.readBytes(count);
    } catch (IOException e) {
      return new byte[0];
    }
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
