package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The NFS load generator against the null server: every operation, over TCP and UDP.
@Timeout(240)
final class NfsLoadTest {
  private static LoadResult run(Process server, int port, String... options) throws IOException {
    assertThat(server.isAlive()).isTrue();
    try (Workspace workspace = Workspace.open()) {
      List<String> command =
          new ArrayList<>(List.of(workspace.nfsLoadGenerator().toString(), "--export", "/"));
      command.addAll(List.of("--port", Integer.toString(port), "--file", "data"));
      command.addAll(List.of("--warm", "0", "--time", "0.3"));
      command.addAll(List.of(options));
      return LoadResult.parse(Commands.run(120, command));
    }
  }

  private static LoadResult load(String... options) throws Exception {
    assumeTrue(Commands.find("gcc") != null, "no gcc; Fix: apt-get install gcc libc6-dev");
    int port = Workspace.freePort();
    Process server;
    try (Workspace workspace = Workspace.open()) {
      server =
          new ProcessBuilder(workspace.nfsPeer().toString(), Integer.toString(port), "4194304")
              .inheritIO()
              .start();
    }
    try {
      awaitPort(server, port);
      return run(server, port, options);
    } finally {
      server.destroyForcibly().waitFor();
    }
  }

  private static void awaitPort(Process server, int port) throws Exception {
    for (int i = 0; i < 600 && server.isAlive(); i++) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException notYet) {
        Thread.sleep(50);
      }
    }
    throw new AssertionError("the null server does not listen");
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "getattr", "lookup", "access", "metadata"})
  void callsAreAnswered(String operation) throws Exception {
    LoadResult tcp = load("--nfs", operation, "--connections", "3", "--depth", "7");
    assertThat(tcp.value("requests")).isPositive();
    assertThat(tcp.value("unserved_connections")).isZero();
    assertThat(load("--nfs", operation, "--udp", "--depth", "4").value("requests")).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"read", "write"})
  void contentIsCounted(String operation) throws Exception {
    LoadResult large = load("--nfs", operation, "--record", "1048576", "--depth", "3");
    assertThat(large.value("body_bytes")).isEqualTo(large.value("requests") * 1_048_576);
    LoadResult small = load("--nfs", operation, "--record", "4096", "--udp", "--depth", "2");
    assertThat(small.value("body_bytes")).isEqualTo(small.value("requests") * 4096);
  }

  @Test
  void wrongUseIsRefused() {
    assertThatThrownBy(() -> load("--nfs", "everything")).hasMessageContaining("no such operation");
  }
}
