package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

/// Files that change while they are sent, as far as the kernel has a part in it: it sends their
/// pages without a copy, and inotify wakes the loop.
abstract class HttpContractPages extends HttpContractDrain {
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
    Await.until("the end of the deleted file", () -> !holds(file));
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
}
