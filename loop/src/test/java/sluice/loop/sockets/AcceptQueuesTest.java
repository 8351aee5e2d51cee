package sluice.loop.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the kernel's tables say, made up and real.
@Timeout(120)
class AcceptQueuesTest {
  private static final String TAIL = " 00000000     0        0 85473 1 0000000000000000 100";

  private static boolean waits(String line) {
    return AcceptQueues.waits(line + TAIL, Set.of(8080, 80));
  }

  @Test
  void handshakesAndWaitingConnectionsOfThePortsCount() {
    String handshake = "   1: 0100007F:1F90 0100007F:C350 03 00000000:00000000 01:00000064 0000000";
    assertThat(waits(handshake + "0")).isTrue();
    assertThat(waits(handshake + "1")).isTrue();
    assertThat(waits(handshake + "2")).as("gone, or never there").isFalse();
    assertThat(waits(handshake.replace(":1F90", ":1F91") + "0")).isFalse();
    assertThat(waits(handshake.replace(" 03 ", " 01 ") + "0")).as("established").isFalse();
    String listens = "10000: 00000000:0050 00000000:0000 0A 00000000:0000000";
    assertThat(waits(listens + "2 00:00000000 00000000")).isTrue();
    assertThat(waits(listens + "0 00:00000000 00000000")).isFalse();
    String long6 = "00000000000000000000000001000000";
    assertThat(
            waits(
                "   2: "
                    + long6
                    + ":1F90 "
                    + long6
                    + ":C350 03 00000000:00000000 01:00000064"
                    + " 00000000"))
        .isTrue();
  }

  @Test
  void aConnectionThatWaitsIsSeen() throws IOException {
    if (!Files.exists(Path.of("/proc/net/tcp"))) {
      return; // nothing to read: no client is waited for
    }
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      Set<Integer> port = Set.of(server.getLocalPort());
      assertThat(AcceptQueues.settled(port)).isTrue();
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
        assertThat(client.isConnected()).isTrue();
        assertThat(AcceptQueues.settled(port)).isFalse();
        server.accept().close();
        assertThat(AcceptQueues.settled(port)).isTrue();
      }
    }
  }
}
