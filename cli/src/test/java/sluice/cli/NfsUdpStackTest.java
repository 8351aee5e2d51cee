package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Await;
import sluice.testbase.Child;

/// Tests `sluice nfs --udp-stack` in a separate network namespace, with the kernel as the client.
@Timeout(300)
final class NfsUdpStackTest {
  private static final String TAP = "true";
  private static final String VETH =
      "ip link add vA type veth peer name vB && ip addr add 10.9.0.1/24 dev vB"
          + " && ip link set vA up && ip link set vB up";

  @TempDir Path directory = Path.of(".");

  @BeforeEach
  void needs() throws Exception {
    for (String tool : List.of("ip", "unshare", "nsenter")) {
      assumeTrue(
          List.of("/usr/bin", "/usr/sbin", "/bin", "/sbin").stream()
              .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool))),
          "no " + tool + ": apt-get install iproute2 util-linux");
    }
    Child trial = Child.run(new ProcessBuilder("unshare", "-n", "true"));
    assumeTrue(trial.exit() == 0, "no network namespace (needs root): " + trial.output());
  }

  private void serve(String before, String after, String stack, String announced) throws Exception {
    Path image = directory.resolve("image");
    assertThat(Commands.run("fs", "mkfs", "--size", "16M", image.toString())).isZero();
    List<String> command =
        new ArrayList<>(List.of("unshare", "-n", "sh", "-c", before + " && exec \"$@\"", "sh"));
    command.addAll(SluiceProcess.command("nfs", image.toString(), "--export", "/data"));
    command.addAll(List.of("--udp-stack", stack, "--squash", "none"));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SLUICE_RUN_DIR", directory.resolve("run").toString());
    Process server = builder.start();
    Await.limit(server);
    try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8)) {
      List<String> said = new ArrayList<>();
      String line;
      while ((line = lines.readLine()) != null && !line.startsWith("exporting ")) {
        said.add(line);
      }
      assertThat(line).as("%s", said).contains("TCP and UDP by " + announced);
      String inside = "nsenter -n -t " + server.pid() + " ";
      Child set = Child.run(new ProcessBuilder("sh", "-c", after.replace("IN ", inside)));
      assertThat(set.exit()).as(set.output()).isZero();
      List<String> probe = new ArrayList<>(List.of(inside.strip().split(" ", -1)));
      probe.addAll(
          List.of(
              ProcessHandle.current().info().command().orElse("java"),
              "-cp",
              Path.of(System.getProperty("basedir", "."), "target/test-classes").toString(),
              "sluice.cli.NfsUdpProbe",
              "10.9.0.2",
              "2049",
              "/data",
              "200"));
      Child asked = Child.run(new ProcessBuilder(probe));
      assertThat(asked.output()).isEqualTo("the root is a directory\n");
      changeLink(inside + "ip link set mtu 1000 dev " + stack.replaceAll(".*:|,.*", ""), lines);
      server.toHandle().destroy();
      assertThat(lines.lines().toList()).last().asString().contains("the image is clean");
      assertThat(Await.end(server)).isZero();
    } finally {
      server.destroyForcibly();
    }
  }

  /// Changes the link and checks that the server prints a line and counts the change.
  private void changeLink(String command, BufferedReader lines) throws Exception {
    Child changed = Child.run(new ProcessBuilder(command.split(" ", -1)));
    assertThat(changed.exit()).as(changed.output()).isZero();
    String line;
    do {
      line = lines.readLine();
      assertThat(line).as("a line of the change").isNotNull();
    } while (!line.contains("was 1500 and is now 1000"));
    Await.until(
        "the counter",
        () -> {
          ProcessBuilder stat = new ProcessBuilder(SluiceProcess.command("stat"));
          stat.environment().put("SLUICE_RUN_DIR", directory.resolve("run").toString());
          return Child.run(stat).output().matches("(?s).*link_mtu +1\\n.*");
        });
  }

  @Test
  void aClientIsAnsweredThroughTap() throws Exception {
    serve(
        TAP,
        "IN ip addr add 10.9.0.1/24 dev t0 && IN ip link set t0 up",
        "tap:t0,10.9.0.2/24",
        "tap:t0 at 10.9.0.2/24");
  }

  @Test
  void aClientIsAnsweredThroughXdp() throws Exception {
    serve(VETH, "true", "xdp:vA,10.9.0.2/24", "xdp:vA (copy, generic) at 10.9.0.2/24");
  }

  @Test
  void aWrongOptionIsExplained() {
    Path image = directory.resolve("image");
    assertThat(Commands.run("fs", "mkfs", "--size", "16M", image.toString())).isZero();
    assertThat(Commands.run("nfs", image.toString(), "--udp-stack", "tun:t0")).isEqualTo(2);
    assertThat(
            Commands.run("nfs", image.toString(), "--no-udp", "--udp-stack", "tap:t0,10.9.0.2/24"))
        .isEqualTo(2);
  }
}
