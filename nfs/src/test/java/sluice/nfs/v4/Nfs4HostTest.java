package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static sluice.nfs.v4.Nfs4TestClient.bytes;
import static sluice.nfs.v4.Nfs4TestClient.existing;
import static sluice.nfs.v4.Nfs4TestClient.open;
import static sluice.nfs.v4.Nfs4TestClient.putFh;
import static sluice.nfs.v4.Nfs4TestClient.readDir;
import static sluice.nfs.v4.Nfs4TestClient.unchecked;
import static sluice.nfs.v4.Nfs4TestClient.write;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.nfs.ExportOptions;
import sluice.nfs.InterruptedTree;
import sluice.nfs.Squash;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.host.HostRights;
import sluice.nfs.host.HostTree;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.v4.Nfs4TestClient.Opened;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4Op;

/// Tests NFSv4.1 over a directory of this machine.
@Timeout(120)
final class Nfs4HostTest {
  @TempDir Path directory;

  /// Files of other programs that were not looked up before are listed with all requested
  /// attributes and valid handles.
  @Test
  void filesNotSeenBefore() throws Exception {
    assumeTrue(HostRights.all(), "opening files by handle needs root");
    for (int i = 0; i < 300; i++) {
      Files.writeString(directory.resolve("unseen-" + i), "by no client " + i);
    }
    Files.createDirectory(directory.resolve("below"));
    Files.createSymbolicLink(directory.resolve("link"), Path.of("below"));
    try (HostTree tree = HostTree.open(directory, false);
        Exports exports = new Exports()) {
      exports.add("/", tree, "/", ExportOptions.defaults().withSquash(Squash.NONE));
      Nfs4Program program =
          new Nfs4Program(
              exports,
              new FileHandles(exports),
              1,
              StableClients.NONE,
              Nfs4Limits.defaults(),
              System::nanoTime);
      try (RpcTestCalls calls = new RpcTestCalls(program)) {
        Nfs4TestClient client = new Nfs4TestClient(calls, "one");
        client.connect();
        client.reclaimComplete();
        byte[] top = client.handle();
        Map<String, byte[]> listed = list(client, top);
        assertThat(listed).hasSize(302).doesNotContainKey(".sluice");
        for (int i = 0; i < 300; i += 13) {
          byte[] handle = listed.getOrDefault("unseen-" + i, new byte[0]);
          assertThat(handle).isEqualTo(client.handle("unseen-" + i));
          Opened file = client.open(top, open("o", 1, 0, existing(), "unseen-" + i));
          assertThat(file.handle()).isEqualTo(handle);
          assertThat(client.content(handle, file.id(), 0, 100))
              .isEqualTo(bytes("by no client " + i));
        }
      }
    }
  }

  /// A stable write is made stable by `fsync`, because there is no journal.
  @Test
  void stableWrites() throws Exception {
    assumeTrue(HostRights.all(), "opening files by handle needs root");
    InterruptedTree between = new InterruptedTree();
    try (HostTree tree = HostTree.open(directory, false);
        Exports exports = new Exports()) {
      exports.add("/", between.over(tree), "/", ExportOptions.defaults().withSquash(Squash.NONE));
      FileHandles handles = new FileHandles(exports);
      Nfs4Limits limits = Nfs4Limits.defaults();
      Nfs4Program program =
          new Nfs4Program(exports, handles, 1, StableClients.NONE, limits, System::nanoTime);
      try (RpcTestCalls calls = new RpcTestCalls(program)) {
        Nfs4TestClient client = new Nfs4TestClient(calls, "one");
        client.connect();
        client.reclaimComplete();
        Opened file = client.open(client.handle(), open("o", 3, 0, unchecked(0644), "file"));
        for (int stable = 0; stable <= 2; stable++) {
          between.before("sync", InterruptedTree.ANY, () -> {});
          assertThat(client.statusOn(file.handle(), write(file.id(), 0, stable, bytes("x"))))
              .isZero();
          assertThat(between.happened()).as("stable_how4 %d", stable).isEqualTo(stable > 0);
        }
        between.before("sync", InterruptedTree.ANY, () -> {});
        assertThat(client.statusOn(file.handle(), to -> to.int32(Nfs4Op.COMMIT).int64(0).int32(0)))
            .isZero();
        assertThat(between.happened()).as("COMMIT").isTrue();
      }
    }
  }

  /// Returns names and handles, page by page.
  private static Map<String, byte[]> list(Nfs4TestClient client, byte[] directory) {
    Map<String, byte[]> all = new HashMap<>();
    long cookie = 0;
    boolean end = false;
    while (!end) {
      Nfs4TestClient.Reply reply =
          client.run(
              putFh(directory),
              readDir(cookie, 4096, Nfs4Attribute.TYPE, Nfs4Attribute.FILEHANDLE));
      reply.plain(Nfs4Op.PUTFH);
      XdrReader in = reply.ok(Nfs4Op.READDIR);
      in.int64();
      while (in.bool()) {
        cookie = in.int64();
        String name = new String(in.opaque(255), StandardCharsets.UTF_8);
        Bitmap.read(in);
        in.int32();
        int type = in.int32();
        assertThat(type).isEqualTo(name.equals("below") ? 2 : name.equals("link") ? 5 : 1);
        assertThat(all.put(name, in.opaque(128))).as(name).isNull();
      }
      end = in.bool();
    }
    return all;
  }
}
