package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.testbase.Await;
import sluice.vi.Nic;

/// Tests `sluice vi` with both ends in one process, and in two.
@Timeout(240)
final class ViCommandTest {
  private record Run(int code, String out, String err) {}

  private static Run run(String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<String> all = new ArrayList<>(List.of("vi"));
    all.addAll(List.of(words));
    int code =
        Commands.commandLine("vi")
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(all.toArray(new String[0]));
    return new Run(code, out.toString(), err.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "pingpong,1,hybrid",
    "pingpong,2,park",
    "stream,1,park",
    "stream,2,spin",
    "pingpong,2,many"
  })
  void bothEndsAgree(String word, String level, String wait) throws Exception {
    String place = "cli-" + ProcessHandle.current().pid() + "-" + word + level;
    String[] common = {"--size", "5K", "--count", "500", "--wait", wait, "--level", level};
    Run[] answering = new Run[1];
    Thread other =
        Thread.ofPlatform()
            .daemon()
            .start(() -> answering[0] = run(words(word, "--listen", place, common)));
    Run[] asking = new Run[1];
    Await.until(
        "the other end listens",
        () -> {
          asking[0] = run(words(word, "--connect", place, common));
          return asking[0].code == 0 || !asking[0].err.contains("no accept matches");
        });
    Await.end(other);
    assertThat(asking[0].err).isEmpty();
    assertThat(asking[0].code).isZero();
    assertThat(asking[0].out)
        .startsWith("local, 5120 B, " + wait + ", level " + level + ": ")
        .contains(word.equals("stream") ? "MB/s" : "p50");
    assertThat(answering[0].code).isZero();
    assertThat(answering[0].out).isEqualToIgnoringNewLines("listening at " + place + " (local)");
  }

  private static String[] words(String word, String end, String place, String... common) {
    List<String> all = new ArrayList<>(List.of(word, end, place));
    all.addAll(List.of(common));
    return all.toArray(new String[0]);
  }

  @Test
  void twoProcessesAreTheDefault() {
    Run run = run("pingpong", "--count", "1000", "--json");
    assertThat(run.err).isEmpty();
    assertThat(run.code).isZero();
    assertThat(run.out).startsWith("{").contains("\"rtt_p50_us\":").contains("\"count\":1000");
  }

  @ParameterizedTest
  @CsvSource({
    "ofi-shm,pingpong,spin",
    "ofi-shm,stream,park",
    "ofi-tcp,pingpong,spin",
    "ofi-tcp,stream,hybrid",
    "ring,pingpong,park",
    "ring,stream,hybrid",
    "ring,pingpong,spin",
    "local,stream,many",
    "ring,stream,many",
    "ring,pingpong,many",
    "ofi-shm,stream,many",
    "ofi-tcp,pingpong,many"
  })
  void otherDevicesCarryTheSame(String device, String word, String wait) {
    String why = Nic.skipped().get(device);
    assumeTrue(why != null && why.isEmpty(), device + ": " + why);
    Run run = run(word, "--device", device, "--size", "4K", "--count", "500", "--wait", wait);
    assertThat(run.err).isEmpty();
    assertThat(run.code).isZero();
    assertThat(run.out)
        .startsWith(device + ", 4096 B, " + wait + ", level 2: ")
        .contains(word.equals("stream") ? "MB/s" : "p50");
  }

  @Test
  void aFileNamesTheDevice() throws Exception {
    Path file = Files.createTempFile("sluice-vi", ".toml");
    try {
      Files.writeString(file, "[net.wire]\ndevice = \"ring\"\nbackend = \"epoll\"\n");
      Run run = run("pingpong", "--net", file + "#wire", "--count", "500");
      assertThat(run.err).isEmpty();
      assertThat(run.code).isZero();
      assertThat(run.out).startsWith("ring, 4 B, hybrid, level 2: ").contains("p50");
      assertThat(run("stream", "--net", file + "#lan"))
          .matches(r -> r.code == 2 && r.err.contains("there is no [net.lan]. Fix: name wire"));
      assertThat(run("stream", "--net", file.toString()))
          .matches(r -> r.code == 2 && r.err.contains("--net takes FILE#NAME"));
      assertThat(run("stream", "--net", file + "#wire", "--device", "local"))
          .matches(r -> r.code == 2 && r.err.contains("--device is given beside --net"));
      Files.writeString(file, "[net.wire]\ndevice = \"rin\"\n");
      assertThat(run("stream", "--net", file + "#wire"))
          .matches(r -> r.code == 2 && r.err.contains(file + ":2: device takes local, "));
    } finally {
      Files.delete(file);
    }
  }

  @Test
  void wrongWordsAreExplained() {
    assertThat(run("pingpong", "--wait", "never"))
        .matches(r -> r.code == 2 && r.err.contains("spin, hybrid, park or many"));
    assertThat(run("stream", "--size", "65M"))
        .matches(r -> r.code == 2 && r.err.contains("1 byte to 64M"));
    assertThat(run("stream", "--wait", "many", "--level", "1"))
        .matches(r -> r.code == 2 && r.err.contains("--level 2"));
    assertThat(run("stream", "--level", "3")).matches(r -> r.code == 2);
    assertThat(run("pingpong", "--listen", "a", "--connect", "b")).matches(r -> r.code == 2);
    assertThat(run("pingpong", "--device", "xdp", "--connect", "a"))
        .matches(r -> r.code == 2 && r.err.contains("--udp-stack"));
    assertThat(run("pingpong", "--udp-stack", "tap:t0,10.0.0.2/24", "--device", "local"))
        .matches(r ->
            r.code == 2 && r.err.contains("--udp-stack goes with a device that has a network"));
    assertThat(run("pingpong", "--device", "xdp", "--udp-stack", "tap:t0,10.0.0.2/24"))
        .matches(r -> r.code == 2 && r.err.contains("--listen"));
    assertThat(run("pingpong", "--device", "xdp", "--udp-stack", "tun:t0", "--connect", "a"))
        .matches(r -> r.code == 2 && r.err.contains("tap|xdp:INTERFACE"));
    assertThat(run("pingpong", "--connect", "nobody-is-there"))
        .matches(r -> r.code == 1 && r.err.contains("no accept matches"));
  }
}
