package sluice.net.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.sys.xdp.Capabilities;
import sluice.testbase.Await;
import sluice.testkit.NetRoom;

/// Checks that a stack on AF_XDP works without the privileges that were needed to open it.
@Timeout(300)
class XdpPrivilegesIT {
  private static final long DROPPED =
      1L << Capabilities.CAP_NET_ADMIN
          | 1L << Capabilities.CAP_NET_RAW
          | 1L << Capabilities.CAP_SYS_ADMIN
          | 1L << Capabilities.CAP_BPF;

  /// Uses an address of the stack's own, and then the kernel's, where ports are bound one by one
  /// after the privileges were dropped.
  @ParameterizedTest
  @ValueSource(strings = {"10.9.0.2/24", "10.9.0.3/24"})
  void itAnswersAndMayNotOpenAgain(String address) throws Exception {
    try (NetRoom ours = NetRoom.enter("ip");
        NetRoom peer = NetRoom.enter("ip")) {
      peer.link("vB", "vA", 1);
      String _ = peer.run("ip addr add 10.9.0.1/24 dev vB");
      Process process =
          peer.outside(() -> {
            String _ = ours.run("ip addr add 10.9.0.3/24 dev vA");
            return ours.start(command("xdp:vA," + address));
          });
      Map<String, String> said = new LinkedHashMap<>();
      try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
        String line = lines.readLine();
        while (line != null && !line.equals("echoing")) {
          int space = line.indexOf(' ');
          String _ = said.put(line.substring(0, Math.max(0, space)), line.substring(space + 1));
          line = lines.readLine();
        }
        assertThat(line).as("%s", said).isEqualTo("echoing");
        assertThat(sets(said.getOrDefault("before", "")))
            .allMatch(set -> (set & DROPPED) == DROPPED);
        for (String thread : List.of("main", "thread", "virtual", "child")) {
          assertThat(sets(said.getOrDefault(thread, "")))
              .as(thread)
              .allMatch(set -> (set & DROPPED) == 0);
        }
        assertThat(said.get("again")).contains("EPERM", "CAP_BPF", "Fix:");
        assertThat(said.get("why")).contains("copy: ").contains("generic: ");
        echo(address.substring(0, address.indexOf('/')));
      } finally {
        process.destroyForcibly();
        int _ = Await.end(process);
      }
    }
  }

  private static List<Long> sets(String text) {
    List<Long> sets = new ArrayList<>();
    Matcher matcher = Pattern.compile("Cap(?:Eff|Prm):\\s*([0-9a-f]+)").matcher(text);
    while (matcher.find()) {
      boolean _ = sets.add(Long.parseUnsignedLong(matcher.group(1), 16));
    }
    assertThat(sets).as(text).isNotEmpty();
    return sets;
  }

  private static void echo(String host) throws Exception {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.setSoTimeout(200);
      byte[] word = "still here".getBytes(StandardCharsets.US_ASCII);
      DatagramPacket answer = new DatagramPacket(new byte[64], 64);
      Await.until(
          "an echo",
          () -> {
            socket.send(new DatagramPacket(word, word.length, InetAddress.getByName(host), 7));
            try {
              socket.receive(answer);
              return true;
            } catch (IOException e) {
              return false;
            }
          });
      assertThat(new String(answer.getData(), 0, answer.getLength(), StandardCharsets.US_ASCII))
          .isEqualTo("still here");
    }
  }

  private static String command(String stack) throws Exception {
    String tests =
        Path.of(XdpPrivilegesIT.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .resolveSibling("test-classes")
            .toString();
    return String.join(
        " ",
        ProcessHandle.current().info().command().orElse("java"),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "--enable-native-access=sluice.sys",
        "--module-path",
        System.getProperty("jdk.module.path", ""),
        "--add-modules",
        "sluice.net",
        "--patch-module",
        "sluice.net=" + tests,
        "-m",
        "sluice.net/sluice.net.transport.XdpDroppedMain",
        stack);
  }
}
