package sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.FreePort;

/// The NFS load generator against the null server: every operation, over TCP and UDP.
@Timeout(600)
final class NfsLoadTest {
  private static LoadResult run(Process server, int port, String... options) throws IOException {
    assertThat(server.isAlive()).isTrue();
    try (Workspace workspace = Workspace.open()) {
      List<String> command =
          new ArrayList<>(List.of(workspace.nfsLoadGenerator().toString(), "--export", "/"));
      command.addAll(List.of("--port", Integer.toString(port), "--file", "data"));
      command.addAll(List.of("--warm", "0", "--time", "1")); // a busy machine may stop a while
      command.addAll(List.of(options));
      return LoadResult.parse(Commands.run(180, command));
    }
  }

  private static LoadResult load(String... options) throws Exception {
    assumeTrue(Commands.find("gcc") != null, "no gcc; Fix: apt-get install gcc libc6-dev");
    for (int attempt = 0; attempt < 5; attempt++) {
      int port = FreePort.find();
      Process server;
      try (Workspace workspace = Workspace.open()) {
        server =
            new ProcessBuilder(workspace.nfsPeer().toString(), Integer.toString(port), "4194304")
                .inheritIO()
                .start();
      }
      try {
        if (listens(server, port)) {
          return run(server, port, options);
        }
      } finally {
        assertThat(server.destroyForcibly().waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
    }
    throw new AssertionError("the null server does not listen");
  }

  /// @return false when it has ended: another process may have taken the port meanwhile
  private static boolean listens(Process server, int port) throws Exception {
    for (int i = 0; i < 1200 && server.isAlive(); i++) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return server.isAlive();
      } catch (IOException notYet) {
        Thread.sleep(50);
      }
    }
    return false;
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
  void repliesAreCountedBySlices() throws Exception {
    double before = System.nanoTime() / 1e6;
    LoadResult result = load("--nfs", "getattr", "--depth", "4", "--slice", "50", "--time", "2");
    assertThat(result.slices()).hasSize(40);
    assertThat(result.slices().stream().mapToDouble(count -> count).sum())
        .isEqualTo(result.value("requests"));
    assertThat(result.value("slice_ms")).isEqualTo(50);
    assertThat(result.value("start_ms")).isBetween(before, System.nanoTime() / 1e6);
  }

  /// Servers take a call whose xid they know for a repeated one.
  @Test
  void noXidIsUsedTwice() throws Exception {
    assumeTrue(Commands.find("gcc") != null, "no gcc; Fix: apt-get install gcc libc6-dev");
    List<Integer> seen = List.of();
    // The longer it takes, the less an answering thread that stops can hide calls behind the end.
    for (int seconds = 1; seen.size() <= 6 && seconds <= 16; seconds *= 2) {
      try (ServerSocket listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
        CompletableFuture<List<Integer>> xids = new CompletableFuture<>();
        Thread server = Thread.ofPlatform().daemon().start(() -> answer(listener, 0, xids));
        assertThat(loadNull(listener, Integer.toString(seconds)).value("requests")).isPositive();
        seen = xids.get(60, TimeUnit.SECONDS);
        assertThat(server.join(Duration.ofSeconds(60))).isTrue();
        assertThat(seen).doesNotHaveDuplicates();
      }
    }
    assertThat(seen).hasSizeGreaterThan(6);
  }

  private static LoadResult loadNull(ServerSocket listener, String seconds) throws IOException {
    try (Workspace workspace = Workspace.open()) {
      List<String> command = new ArrayList<>(List.of(workspace.nfsLoadGenerator().toString()));
      command.addAll(List.of("--port", Integer.toString(listener.getLocalPort())));
      command.addAll(List.of("--export", "/", "--nfs", "null", "--depth", "5"));
      command.addAll(List.of("--warm", "0", "--time", seconds));
      return LoadResult.parse(Commands.run(180, command));
    }
  }

  @Test
  void aWindowWithoutAnAnswerGoesOnUntilThereIsOne() throws Exception {
    assumeTrue(Commands.find("gcc") != null, "no gcc; Fix: apt-get install gcc libc6-dev");
    boolean prolonged = false;
    // The longer an answer takes, the less a machine that stops can hide it from the window.
    for (long millis = 300; !prolonged && millis < 10_000; millis *= 2) {
      long delayMillis = millis;
      try (ServerSocket listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
        CompletableFuture<List<Integer>> xids = new CompletableFuture<>();
        Thread server =
            Thread.ofPlatform().daemon().start(() -> answer(listener, delayMillis, xids));
        LoadResult result = loadNull(listener, "0.05");
        prolonged = result.value("prolonged") == 1;
        assertThat(result.value("requests")).isPositive();
        assertThat(xids.get(60, TimeUnit.SECONDS)).isNotEmpty();
        assertThat(server.join(Duration.ofSeconds(60))).isTrue();
      }
    }
    assertThat(prolonged).isTrue();
  }

  /// A MOUNT on one connection, then empty replies on another until its end.
  ///
  /// @param delayMillis before the first of these
  private static void answer(
      ServerSocket listener, long delayMillis, CompletableFuture<List<Integer>> xids) {
    List<Integer> seen = new ArrayList<>();
    try {
      try (Socket mounts = listener.accept()) {
        answer(mounts, 4 + 4 + 8, seen);
      }
      try (Socket calls = listener.accept()) {
        Thread.sleep(delayMillis);
        answer(calls, 0, seen);
      }
      xids.complete(seen);
    } catch (IOException | InterruptedException e) {
      xids.completeExceptionally(e);
    }
  }

  private static void answer(Socket socket, int results, List<Integer> seen) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    try {
      while (true) {
        byte[] call = new byte[in.readInt() & Integer.MAX_VALUE];
        in.readFully(call);
        ByteBuffer reply = ByteBuffer.allocate(4 + 24 + results);
        int xid = ByteBuffer.wrap(call).getInt(0);
        seen.add(xid);
        reply.putInt(Integer.MIN_VALUE | (24 + results)).putInt(xid).putInt(1);
        if (results > 0) {
          reply.putInt(32, 8); // after status 0: a handle of eight bytes
        }
        out.write(reply.array());
      }
    } catch (EOFException | SocketException end) {
      // the generator has gone
    }
  }

  @Test
  void wrongUseIsRefused() {
    assertThatThrownBy(() -> load("--nfs", "everything")).hasMessageContaining("no such operation");
  }
}
