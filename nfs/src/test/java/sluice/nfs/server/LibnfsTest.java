package sluice.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.nfs.rpc.RpcServer;
import sluice.nfs.rpc.RpcServerRig;
import sluice.nfs.v3.Nfs3Rig;

/// Tests a foreign client over TCP: the tools of libnfs, and `rpcinfo`.
@Timeout(240)
final class LibnfsTest {
  private final Nfs3Rig rig = Nfs3Rig.journaled();
  private final RpcServer server;
  @TempDir Path directory;

  LibnfsTest() throws IOException {
    server = RpcServerRig.serve(true, rig.nfs, rig.mounts);
  }

  @AfterEach
  void close() throws IOException {
    server.close();
    rig.close();
  }

  private String url(String path) {
    int port = server.server().port();
    return "nfs://127.0.0.1/data" + path + "?version=3&nfsport=" + port + "&mountport=" + port;
  }

  private static void require(String tool) {
    boolean found =
        Arrays.stream(System.getenv("PATH").split(":"))
            .anyMatch(place -> Files.isExecutable(Path.of(place, tool)));
    assumeTrue(found, "no " + tool + ": libnfs-utils or rpcbind is not installed");
  }

  private byte[] run(String... command) throws Exception {
    Path out = Files.createTempFile(directory, "out", "");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as(command[0]).isTrue();
    } finally {
      process.destroyForcibly();
    }
    byte[] said = Files.readAllBytes(out);
    String text = new String(said, 0, Math.min(said.length, 500), StandardCharsets.UTF_8);
    assertThat(process.exitValue()).as(String.join(" ", command) + ": " + text).isZero();
    return said;
  }

  @Test
  void copiesListsAndReads() throws Exception {
    assumeTrue(
        "root".equals(System.getProperty("user.name")), "needs root: its client reads lost+found");
    require("nfs-cp");
    byte[] content = new byte[5_000_001];
    new Random(1).nextBytes(content);
    Path file = directory.resolve("file");
    Files.write(file, content);
    byte[] sub = rig.root.mkdir(rig.top, "sub");
    rig.root.chmod(sub, 0777);
    rig.root.chmod(rig.top, 0777);
    run("nfs-cp", file.toString(), url("/sub/copy"));
    byte[] copy = rig.root.lookup(sub, "copy");
    assertThat(rig.root.attributes(copy).size()).isEqualTo(content.length);
    assertThat(run("nfs-cat", url("/sub/copy"))).isEqualTo(content);
    for (int i = 0; i < 300; i++) {
      rig.root.create(sub, "name" + i);
    }
    String listed = new String(run("nfs-ls", "-R", url("")), StandardCharsets.UTF_8);
    assertThat(listed).contains("copy", "5000001", "name0", "name299").doesNotContain(".sluice");
    String below = new String(run("nfs-ls", url("/sub")), StandardCharsets.UTF_8);
    assertThat(below.lines().count()).isGreaterThanOrEqualTo(301);
  }

  @Test
  void answersRpcinfo() throws Exception {
    require("rpcinfo");
    int port = server.server().port();
    String address = "127.0.0.1." + (port >> 8) + "." + (port & 0xFF);
    for (String transport : new String[] {"tcp", "udp"}) {
      for (String program : new String[] {"100003", "100005"}) {
        byte[] said = run("rpcinfo", "-a", address, "-T", transport, program, "3");
        assertThat(new String(said, StandardCharsets.UTF_8)).contains("ready and waiting");
      }
    }
  }
}
