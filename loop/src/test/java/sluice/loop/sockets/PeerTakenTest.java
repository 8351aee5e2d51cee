package sluice.loop.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.testbase.Await;

/// The kernel says whether a peer takes what it was sent, also while the socket has no room.
@Timeout(240)
final class PeerTakenTest {
  private static final int PIECE_BYTES = 64 << 10;

  @Test
  void growsWhileThePeerReadsAndStandsStillWhenItDoesNot() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Arena arena = Arena.ofConfined();
        ServerSocket listener = new ServerSocket()) {
      listener.setReceiveBufferSize(PIECE_BYTES);
      listener.bind(any);
      int fd = KernelSockets.open(any, false);
      assertThat(Sockets.connect(fd, listener.getLocalSocketAddress())).isZero();
      try (Socket peer = listener.accept()) {
        MemorySegment piece = arena.allocate(PIECE_BYTES);
        int flags = Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;
        int sent;
        do {
          sent = Sockets.send(fd, piece, 0, PIECE_BYTES, flags);
        } while (sent > 0);
        long[] before = {-1};
        Await.until(
            "the peer's buffer is full",
            () -> {
              long last = before[0];
              before[0] = KernelSockets.peerTakenBytes(fd);
              Thread.sleep(50);
              return before[0] == last;
            });
        assertThat(before[0]).isPositive();
        InputStream in = peer.getInputStream();
        for (int i = 0; i < 8; i++) {
          assertThat(in.readNBytes(PIECE_BYTES)).hasSize(PIECE_BYTES);
        }
        Await.until("it has taken more", () -> KernelSockets.peerTakenBytes(fd) > before[0]);
      } finally {
        Files.close(fd);
      }
    }
  }
}
