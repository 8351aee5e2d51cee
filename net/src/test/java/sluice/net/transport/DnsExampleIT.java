package sluice.net.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;
import sluice.testkit.NetRoom;

/// Queries the example DNS server with dig(1), on each driver.
@Timeout(300)
class DnsExampleIT {
  private static Process start(String stack) throws Exception {
    return new ProcessBuilder(
            List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=sluice.sys",
                "--module-path",
                System.getProperty("jdk.module.path", ""),
                "--add-modules",
                "sluice.net",
                Path.of("../examples/dns/DnsResponder.java").toString(),
                "53",
                stack))
        .redirectErrorStream(true)
        .start();
  }

  private static void ask(NetRoom from) {
    String dig = "dig +tries=5 +timeout=5 @10.9.0.2 ";
    assertThat(from.run(dig + "+short one.example")).isEqualTo("192.0.2.1\n");
    assertThat(from.run(dig + "+short THREE.example")).isEqualTo("192.0.2.3\n");
    assertThat(from.run(dig + "four.example")).contains("status: NXDOMAIN");
    assertThat(from.run(dig + "one.example TXT")).contains("NOERROR").contains("ANSWER: 0");
  }

  private static void awaitStart(Process process) throws Exception {
    BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
    assertThat(lines.readLine()).startsWith("answering at /10.9.0.2:53 on ");
  }

  @Test
  void digIsAnsweredThroughTap() throws Exception {
    try (NetRoom room = NetRoom.enter("ip", "dig")) {
      Process process = start("tap:t0,10.9.0.2/24");
      Await.limit(process);
      try {
        awaitStart(process);
        room.run("ip addr add 10.9.0.1/24 dev t0");
        room.run("ip link set t0 up");
        ask(room);
      } finally {
        process.destroyForcibly();
        int _ = Await.end(process);
      }
    }
  }

  @Test
  void digIsAnsweredThroughXdpBesideTheKernel() throws Exception {
    try (NetRoom room = NetRoom.enter("ip", "dig");
        NetRoom peer = NetRoom.enter("ip")) {
      peer.link("vB", "vA", 1);
      peer.run("ip addr add 10.9.0.1/24 dev vB");
      String _ = peer.outside(() -> room.run("ip addr add 10.9.0.2/24 dev vA"));
      Process process = peer.outside(() -> start("xdp:vA,10.9.0.2/24"));
      Await.limit(process);
      try {
        awaitStart(process);
        ask(peer);
      } finally {
        process.destroyForcibly();
        int _ = Await.end(process);
      }
    }
  }
}
