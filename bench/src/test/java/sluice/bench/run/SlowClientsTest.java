package sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class SlowClientsTest {
  @Test
  void eachSendsAHeadByteByByteAndComesBack() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        SlowClients clients = SlowClients.start(server.getLocalPort(), 3)) {
      assertThat(clients).isNotNull();
      List<Socket> accepted = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        accepted.add(server.accept());
      }
      for (Socket socket : accepted) {
        assertThat(start(socket)).isEqualTo("GET ");
      }
      accepted.getFirst().close(); // had enough
      try (Socket again = server.accept()) {
        assertThat(start(again)).isEqualTo("GET ");
      }
      for (Socket socket : accepted) {
        socket.close();
      }
    }
  }

  private static String start(Socket socket) throws Exception {
    InputStream in = socket.getInputStream();
    return new String(in.readNBytes(4), StandardCharsets.US_ASCII);
  }

  @Test
  void noneIsNone() throws Exception {
    try (SlowClients clients = SlowClients.start(1, 0)) {
      assertThat(clients).isNotNull();
    }
  }
}
