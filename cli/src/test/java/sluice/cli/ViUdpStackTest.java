package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;
import sluice.testkit.NetRoom;

/// Tests `sluice vi --device xdp` between two processes, each in its own network namespace.
@Timeout(300)
final class ViUdpStackTest {
  private static String command(String word, String... options) throws Exception {
    List<String> words = new ArrayList<>(List.of("vi", word, "--device", "xdp"));
    words.addAll(List.of(options));
    return String.join(" ", SluiceProcess.command(words.toArray(new String[0])));
  }

  /// Starts the answering end at 10.9.0.1 in the outer namespace.
  private static Process listen(NetRoom outer, NetRoom inner, String word, String count)
      throws Exception {
    inner.link("vB", "vA", 1);
    Process made =
        inner.outside(() ->
            outer.start(
                command(
                    word,
                    "--udp-stack",
                    "xdp:vA,10.9.0.1/24",
                    "--listen",
                    "10.9.0.1:7000",
                    "--count",
                    count,
                    "--size",
                    "4K")));
    BufferedReader lines = made.inputReader(StandardCharsets.UTF_8);
    assertThat(lines.readLine()).isEqualTo("listening at 10.9.0.1:7000 (xdp)");
    return made;
  }

  private static Process connect(NetRoom inner, String word, String count) throws Exception {
    return inner.start(
        command(
            word,
            "--udp-stack",
            "xdp:vB,10.9.0.2/24",
            "--connect",
            "10.9.0.1:7000",
            "--count",
            count,
            "--size",
            "4K"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"pingpong", "stream"})
  void twoProcessesTalk(String word) throws Exception {
    try (NetRoom outer = NetRoom.enter("ip");
        NetRoom inner = NetRoom.enter("ip")) {
      Process answering = listen(outer, inner, word, "500");
      Process asking = connect(inner, word, "500");
      String said = new String(asking.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(said)
          .startsWith("xdp, 4096 B, hybrid, level 2: ")
          .contains(word.equals("stream") ? "MB/s" : "p50");
      assertThat(Await.end(asking)).isZero();
      assertThat(Await.end(answering)).isZero();
    }
  }

  @Test
  void aKilledPeerIsNoticed() throws Exception {
    try (NetRoom outer = NetRoom.enter("ip");
        NetRoom inner = NetRoom.enter("ip")) {
      Process answering = listen(outer, inner, "pingpong", "100000000");
      Process asking = connect(inner, "pingpong", "100000000");
      Thread.sleep(2000); // usually, messages are under way then; the outcome is the same if not
      answering.destroyForcibly();
      int _ = Await.end(answering);
      String said = new String(asking.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(said).containsAnyOf("has not answered for some seconds", "nothing answer");
      assertThat(Await.end(asking)).isEqualTo(1);
    }
  }
}
