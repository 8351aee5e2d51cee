package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.nfs.ExportOptions;
import sluice.nfs.Squash;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.host.HostRights;
import sluice.nfs.host.HostTree;
import sluice.nfs.rpc.Wire;

/// Tests NFSv3 over a directory of this machine: the server does not depend on images.
@Timeout(120)
final class Nfs3HostTest {
  @TempDir Path directory;

  /// A server over the directory. Confined to the test's thread.
  private static final class Server implements AutoCloseable {
    final HostTree tree;
    final Exports exports = new Exports();
    final Nfs3Client client;
    final byte[] top;

    Server(Path directory, int xid) throws IOException {
      tree = HostTree.open(directory, false);
      exports.add("/", tree, "/", ExportOptions.defaults().withSquash(Squash.NONE));
      FileHandles handles = new FileHandles(exports);
      client =
          new Nfs3Client(
              new Nfs3Program(exports, handles, xid), new MountProgram(exports, handles));
      client.calls.xid(xid);
      top = client.mount("/");
    }

    @Override
    public void close() throws IOException {
      client.close();
      exports.close();
      tree.close();
    }
  }

  @Test
  void filesOfTheHost() throws IOException {
    assumeTrue(HostRights.all(), "opening files by handle needs root");
    Files.writeString(directory.resolve("theirs"), "hello");
    byte[] file;
    byte[] deep;
    try (Server server = new Server(directory, 1 << 20)) {
      Nfs3Client client = server.client;
      assertThat(server.exports.warnings()).singleElement().asString().contains("no journal");
      assertThat(client.read(client.lookup(server.top, "theirs"), 0, 100))
          .isEqualTo(Nfs3Client.name("hello"));
      byte[] sub = made(client, server.top, "sub");
      deep = made(client, sub, "deep");
      file = createIn(client, deep, "f");
      assertThat(file.length).isBetween(FileHandles.BYTES + 1, 64);
      client.write(file, 0, "content");
      assertThat(client.link(file, sub, "g")).isZero();
      assertThat(client.rename(sub, "g", server.top, "h")).isZero();
      assertThat(client.find(server.top, ".sluice")).isNull();
      assertThat(client.truncate(file, 3)).isZero();
      assertThat(client.rmdir(sub, "deep")).isEqualTo(NfsStatus.NOTEMPTY);
      byte[] link = client.find(server.top, "h");
      assertThat(link).isEqualTo(file);
      Files.writeString(directory.resolve("unseen"), "by no client");
      Wire listed =
          client.call(
              Nfs3Procedure.READDIRPLUS,
              w -> w.opaque(server.top).int64(0).int64(0).int32(4096).int32(8192));
      assertThat(listed.u32()).isZero();
      assertThat(listed.postOp()).isNotNull();
      listed.u64();
      int names = 0;
      while (listed.bool()) {
        listed.u64();
        assertThat(listed.opaque()).isNotEqualTo(Nfs3Client.name(".sluice"));
        listed.u64();
        assertThat(listed.postOp()).isNotNull();
        assertThat(listed.postOpHandle()).isNotNull();
        names++;
      }
      assertThat(names).isEqualTo(6); // ., .., theirs, sub, h, unseen
      byte[] damaged = file.clone();
      damaged[damaged.length - 1] ^= 1;
      assertThat(client.getattrStatus(damaged)).isEqualTo(NfsStatus.BADHANDLE);
    }
    assertThat(directory.resolve("sub/deep/f")).hasContent("con");
    Files.move(directory.resolve("sub"), directory.resolve("moved"));
    try (Server server = new Server(directory, 2 << 20)) {
      byte[] damaged = file.clone();
      damaged[damaged.length - 1] ^= 1;
      assertThat(server.client.getattrStatus(damaged)).isEqualTo(NfsStatus.BADHANDLE);
      assertThat(server.client.read(file, 0, 100)).isEqualTo(Nfs3Client.name("con"));
      assertThat(server.client.remove(deep, "f")).isZero();
      assertThat(server.client.remove(server.top, "h")).isZero();
      assertThat(server.client.getattrStatus(file)).isEqualTo(NfsStatus.STALE);
    }
  }

  /// Each byte of a handle is checked, also the bytes by which the kernel finds the file, for
  /// handles that the server has seen and for others.
  @Test
  void changedHandlesLeadNowhere() throws IOException {
    assumeTrue(HostRights.all(), "opening files by handle needs root");
    for (int i = 0; i < 20; i++) {
      Files.writeString(directory.resolve("f" + i), "content of " + i);
    }
    byte[] file;
    try (Server server = new Server(directory, 1 << 20)) {
      file = server.client.lookup(server.top, "f7");
      refusesChanges(server, file);
    }
    try (Server server = new Server(directory, 2 << 20)) {
      refusesChanges(server, file);
      assertThat(server.client.read(file, 0, 100)).isEqualTo(Nfs3Client.name("content of 7"));
    }
  }

  private static void refusesChanges(Server server, byte[] file) {
    for (int at = 0; at < file.length; at++) {
      for (int change : new int[] {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        byte[] changed = file.clone();
        changed[at] ^= (byte) change;
        for (boolean slowly : new boolean[] {false, true}) {
          server.client.calls.slowly(slowly);
          assertThat(server.client.getattrStatus(changed))
              .as("byte " + at + ", " + change)
              .isIn(NfsStatus.BADHANDLE, NfsStatus.STALE);
        }
      }
    }
    for (int length = FileHandles.BYTES; length < file.length; length += 4) {
      byte[] cut = Arrays.copyOf(file, length);
      assertThat(server.client.getattrStatus(cut)).isEqualTo(NfsStatus.BADHANDLE);
    }
    server.client.calls.slowly(false);
  }

  /// Runs MKDIR. Other programs may change the directory, so the reply has no attributes "before".
  private static byte[] made(Nfs3Client client, byte[] directory, String name) {
    Wire answer =
        client.call(
            Nfs3Procedure.MKDIR,
            w -> {
              Nfs3Client.where(w, directory, name);
              Nfs3Client.sattr(w, 0755);
            });
    return made(answer);
  }

  private static byte[] createIn(Nfs3Client client, byte[] directory, String name) {
    Wire answer =
        client.call(
            Nfs3Procedure.CREATE,
            w -> {
              Nfs3Client.where(w, directory, name);
              w.int32(1);
              Nfs3Client.sattr(w, 0644);
            });
    return made(answer);
  }

  private static byte[] made(Wire answer) {
    assertThat(answer.u32()).isZero();
    byte[] handle = answer.postOpHandle();
    assertThat(answer.postOp()).isNotNull();
    Wire.Wcc wcc = answer.wcc();
    assertThat(wcc.before()).isNull();
    assertThat(wcc.after()).isNotNull();
    answer.end();
    return handle == null ? new byte[0] : handle;
  }
}
