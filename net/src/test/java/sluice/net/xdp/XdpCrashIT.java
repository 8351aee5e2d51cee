package sluice.net.xdp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.net.Ipv4Prefix;
import sluice.testbase.Await;
import sluice.testbase.Slice;
import sluice.testkit.NetRoom;

/// Kills processes with an open port. No program may remain attached, and the next process must
/// find the queue free.
@Timeout(600)
class XdpCrashIT {
  @Test
  void aHundredProcessesAreKilled() throws Exception {
    long cycles = Slice.current().share(100);
    try (NetRoom _ = NetRoom.enter("ip");
        NetRoom room = NetRoom.enter("ip")) {
      room.link("vA", "vB", 1);
      for (int i = 0; i < cycles; i++) {
        Process process =
            new ProcessBuilder(
                    List.of(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=sluice.sys",
                        "--module-path",
                        System.getProperty("jdk.module.path", ""),
                        "--add-modules",
                        "sluice.net",
                        "--patch-module",
                        "sluice.net=" + tests(),
                        "-m",
                        "sluice.net/sluice.net.xdp.XdpHolder"))
                .redirectErrorStream(true)
                .start();
        Await.limit(process);
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
          assertThat(lines.readLine()).as("cycle %d", i).isEqualTo("open: copy, generic");
          assertThat(room.run("ip link show vA")).contains("xdp");
          process.destroyForcibly(); // SIGKILL
          int _ = Await.end(process);
        }
      }
      Await.until("nothing attached", () -> !room.run("ip -d link show vA").contains("xdp"));
      XdpPort.open(new XdpConfig("vA", Ipv4Prefix.parseAddress("10.9.0.2"), true, 1)).close();
    }
  }

  private static String tests() throws Exception {
    return Path.of(XdpCrashIT.class.getProtectionDomain().getCodeSource().getLocation().toURI())
        .resolveSibling("test-classes")
        .toString();
  }
}
