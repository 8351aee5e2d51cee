package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.nfs.v4.Nfs4TestClient.getAttr;
import static sluice.nfs.v4.Nfs4TestClient.lookup;
import static sluice.nfs.v4.Nfs4TestClient.mkdir;
import static sluice.nfs.v4.Nfs4TestClient.putFh;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.nfs.ExportOptions;
import sluice.nfs.Squash;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.v3.Nfs3Client;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4Op;

/// Tests which clients may use an export by NFSv4.1, and as which user, as there is no MOUNT to
/// refuse them.
@Timeout(120)
final class Nfs4ExportsTest {
  private final Nfs4Rig rig = new Nfs4Rig();
  private final Exports exports = new Exports();
  private final List<RpcTestCalls> opened = new ArrayList<>();

  Nfs4ExportsTest() throws IOException {
    AttributeChange open = AttributeChange.NONE.withMode(0777);
    rig.tree.setAttributes(Caller.ROOT, rig.tree.rootInode(), open);
  }

  @AfterEach
  void close() throws IOException {
    opened.forEach(RpcTestCalls::close);
    exports.close();
    rig.close();
  }

  private void export(String path, ExportOptions options) throws IOException {
    exports.add(path, rig.tree, "/", options);
  }

  private Nfs4Program program() throws IOException {
    FileHandles handles = new FileHandles(exports);
    return new Nfs4Program(
        exports, handles, 1, StableClients.NONE, Nfs4Limits.defaults(), System::nanoTime);
  }

  private Nfs4TestClient client(Nfs4Program program, String address) throws IOException {
    RpcTestCalls calls = new RpcTestCalls(program);
    opened.add(calls);
    calls.from(opened.size(), InetAddress.getByName(address), 700);
    Nfs4TestClient made = new Nfs4TestClient(calls, address);
    made.connect();
    made.reclaimComplete();
    return made;
  }

  @Test
  void onlyListedClientsMayUseIt() throws IOException {
    ExportOptions believed = ExportOptions.defaults().withSquash(Squash.NONE);
    export("/all", believed);
    export("/some", believed.withClients("192.0.2.0/25"));
    Nfs4Program program = program();
    Nfs4TestClient near = client(program, "192.0.2.127");
    byte[] some = near.handle("some");
    assertThat(near.statusOn(some, mkdir("d", 0755))).isZero();
    byte[] below = near.handle("some", "d");
    Nfs4TestClient far = client(program, "192.0.2.128");
    for (boolean slowly : new boolean[] {false, true}) {
      far.calls.slowly(slowly);
      assertThat(far.statusOn(far.handle(), lookup("some"))).isEqualTo(NfsStatus.ACCES);
      for (byte[] known : new byte[][] {some, below}) { // nor with a handle of another client
        assertThat(far.status(putFh(known), getAttr(Nfs4Attribute.TYPE)))
            .isEqualTo(NfsStatus.ACCES);
        assertThat(far.status(putFh(known), mkdir("x", 0755))).isEqualTo(NfsStatus.ACCES);
      }
      assertThat(far.handle("all")).isNotEmpty();
    }
  }

  @Test
  void anExportOfAllIsForListedClientsToo() throws IOException {
    export("/", ExportOptions.defaults().withSquash(Squash.NONE).withClients("192.0.2.0/25"));
    Nfs4Program program = program();
    assertThat(client(program, "192.0.2.1").handle()).isNotEmpty();
    Nfs4TestClient far = client(program, "192.0.2.200");
    assertThat(far.status(to -> to.int32(Nfs4Op.PUTROOTFH))).isEqualTo(NfsStatus.ACCES);
  }

  private FileAttributes made(Nfs4TestClient client, byte[] top, String name, int uid)
      throws IOException {
    client.calls.as(uid, 8);
    assertThat(client.statusOn(top, mkdir(name, 0755))).isZero();
    long inode = rig.tree.lookup(Caller.ROOT, rig.tree.rootInode(), Nfs3Client.name(name));
    return rig.tree.attributes(inode);
  }

  @Test
  void squash() throws IOException {
    export("/none", ExportOptions.defaults().withSquash(Squash.NONE).withAnonymous(1000, 2000));
    export("/root", ExportOptions.defaults().withSquash(Squash.ROOT).withAnonymous(1000, 2000));
    export("/all", ExportOptions.defaults().withSquash(Squash.ALL).withAnonymous(1000, 2000));
    Nfs4TestClient client = client(program(), "127.0.0.1");
    byte[] none = client.handle("none");
    byte[] root = client.handle("root");
    byte[] all = client.handle("all");
    assertThat(made(client, none, "a", 0).uid()).isZero();
    assertThat(made(client, none, "b", 7).uid()).isEqualTo(7);
    assertThat(made(client, root, "c", 0).uid()).isEqualTo(1000);
    assertThat(made(client, root, "d", 7).uid()).isEqualTo(7);
    FileAttributes squashed = made(client, all, "e", 7);
    assertThat(squashed.uid()).isEqualTo(1000);
    assertThat(squashed.gid()).isEqualTo(2000);
    assertThat(made(client, all, "f", 0).uid()).isEqualTo(1000);
  }
}
