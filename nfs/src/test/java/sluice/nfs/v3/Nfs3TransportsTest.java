package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.nfs.rpc.RpcServer;
import sluice.nfs.rpc.RpcServerRig;
import sluice.nfs.rpc.RpcTestClient;
import sluice.nfs.rpc.UdpExchange;
import sluice.nfs.rpc.Wire;
import sluice.nfs.rpc.XdrWriter;

/// Tests all 22 procedures of NFSv3 and all of MOUNT over TCP and UDP on one port.
@Timeout(240)
final class Nfs3TransportsTest {
  private final Nfs3Rig rig = Nfs3Rig.journaled();
  private final RpcServer server;
  private final Map<Nfs3Procedure, Integer> answered = new EnumMap<>(Nfs3Procedure.class);

  Nfs3TransportsTest() throws IOException {
    server = RpcServerRig.serve(true, rig.nfs, rig.mounts);
  }

  @AfterEach
  void close() throws IOException {
    server.close();
    rig.close();
  }

  @Test
  void oneAfterTheOther() throws IOException {
    int port = server.server().port();
    assertThat(server.datagramAddresses()).allMatch(address -> address.getPort() == port);
    try (RpcTestClient stream = new RpcTestClient(port)) {
      everyProcedure(
          "tcp",
          message -> {
            try {
              stream.send(RpcTestClient.record(message));
              return stream.receive();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
    try (UdpExchange datagrams = new UdpExchange(port)) {
      everyProcedure("udp", datagrams);
    }
  }

  private Wire ok(Nfs3Client client, Nfs3Procedure procedure, Consumer<XdrWriter> arguments) {
    Wire answer = client.call(procedure, arguments);
    assertThat(answer.u32()).as(procedure.name()).isZero();
    answered.merge(procedure, 1, Integer::sum);
    return answer;
  }

  private void everyProcedure(String transport, UnaryOperator<byte[]> exchange) throws IOException {
    answered.clear();
    Nfs3Client client = rig.client();
    client.calls.over(exchange);
    byte[] top = mountProcedures(client);
    client.call(Nfs3Procedure.NULL, w -> {}).end();
    answered.put(Nfs3Procedure.NULL, 1);
    making(client, top, transport);
    byte[] directory = client.lookup(top, transport);
    byte[] file = client.lookup(directory, "file");
    asking(client, directory, file);
    listing(client, directory);
    removing(client, top, directory, transport);
    assertThat(answered).as(transport).containsOnlyKeys(Nfs3Procedure.values());
    // The changes over the socket are in the tree.
    byte[] name = Nfs3Client.name(transport + " was here");
    assertThat(rig.tree.lookup(Caller.ROOT, rig.tree.rootInode(), name)).isPositive();
  }

  private static byte[] mountProcedures(Nfs3Client client) {
    byte[] top = client.mount("/data");
    client.mountCall(0, w -> {}).end();
    assertThat(client.mountCall(2, w -> {}).bool()).as("a client has mounted").isTrue();
    assertThat(client.mountCall(5, w -> {}).bool()).as("something is exported").isTrue();
    client.mountCall(3, w -> w.opaque(Nfs3Client.name("/data"))).end();
    client.mountCall(4, w -> {}).end();
    return top;
  }

  private void making(Nfs3Client client, byte[] top, String transport) {
    Wire made =
        ok(
            client,
            Nfs3Procedure.MKDIR,
            w -> {
              Nfs3Client.where(w, top, transport);
              Nfs3Client.sattr(w, 0755);
            });
    byte[] directory = made.postOpHandle();
    assertThat(directory).isNotNull();
    byte[] in = directory == null ? new byte[0] : directory;
    ok(
        client,
        Nfs3Procedure.CREATE,
        w -> {
          Nfs3Client.where(w, in, "file");
          w.int32(1);
          Nfs3Client.sattr(w, 0600);
        });
    ok(
        client,
        Nfs3Procedure.SYMLINK,
        w -> {
          Nfs3Client.where(w, in, "symlink");
          Nfs3Client.sattr(w, -1);
          w.opaque(Nfs3Client.name("file"));
        });
    ok(
        client,
        Nfs3Procedure.MKNOD,
        w -> {
          Nfs3Client.where(w, in, "pipe");
          w.int32(7);
          Nfs3Client.sattr(w, 0600);
        });
  }

  private void asking(Nfs3Client client, byte[] directory, byte[] file) {
    Wire found = ok(client, Nfs3Procedure.LOOKUP, w -> Nfs3Client.where(w, directory, "symlink"));
    byte[] link = found.opaque();
    Wire target = ok(client, Nfs3Procedure.READLINK, w -> w.opaque(link));
    target.postOp();
    assertThat(target.opaque()).isEqualTo(Nfs3Client.name("file"));
    byte[] text = Nfs3Client.name("what is written");
    ok(
        client,
        Nfs3Procedure.WRITE,
        w -> w.opaque(file).int64(0).int32(text.length).int32(0).opaque(text));
    ok(client, Nfs3Procedure.COMMIT, w -> w.opaque(file).int64(0).int32(0));
    Wire read = ok(client, Nfs3Procedure.READ, w -> w.opaque(file).int64(0).int32(100));
    read.postOp();
    assertThat(read.u32()).isEqualTo(text.length);
    assertThat(read.bool()).as("the end of the file").isTrue();
    assertThat(read.opaque()).isEqualTo(text);
    ok(
        client,
        Nfs3Procedure.SETATTR,
        w -> {
          w.opaque(file);
          Nfs3Client.sattr(w, 0640);
          w.bool(false);
        });
    Wire attributes = ok(client, Nfs3Procedure.GETATTR, w -> w.opaque(file));
    assertThat(attributes.fattr().mode()).isEqualTo(0640);
    Wire rights = ok(client, Nfs3Procedure.ACCESS, w -> w.opaque(file).int32(0x3F));
    rights.postOp();
    assertThat(rights.u32()).isNotZero();
    ok(client, Nfs3Procedure.FSSTAT, w -> w.opaque(file));
    ok(client, Nfs3Procedure.FSINFO, w -> w.opaque(file));
    ok(client, Nfs3Procedure.PATHCONF, w -> w.opaque(file));
    ok(
        client,
        Nfs3Procedure.LINK,
        w -> {
          w.opaque(file);
          Nfs3Client.where(w, directory, "second");
        });
  }

  private void listing(Nfs3Client client, byte[] directory) {
    for (boolean plus : new boolean[] {false, true}) {
      Wire answer =
          ok(
              client,
              plus ? Nfs3Procedure.READDIRPLUS : Nfs3Procedure.READDIR,
              w -> {
                w.opaque(directory).int64(0).int64(0).int32(4096);
                if (plus) {
                  w.int32(16_384);
                }
              });
      answer.postOp();
      answer.u64();
      int names = 0;
      while (answer.bool()) {
        answer.u64();
        answer.opaque();
        answer.u64();
        if (plus) {
          answer.postOp();
          answer.postOpHandle();
        }
        names++;
      }
      assertThat(answer.bool()).as("all of it").isTrue();
      assertThat(names).as(".., . and four files").isEqualTo(6);
    }
  }

  private void removing(Nfs3Client client, byte[] top, byte[] directory, String transport) {
    ok(
        client,
        Nfs3Procedure.RENAME,
        w -> {
          Nfs3Client.where(w, directory, "file");
          Nfs3Client.where(w, top, transport + " was here");
        });
    for (String name : new String[] {"second", "symlink", "pipe"}) {
      ok(client, Nfs3Procedure.REMOVE, w -> Nfs3Client.where(w, directory, name));
    }
    ok(client, Nfs3Procedure.RMDIR, w -> Nfs3Client.where(w, top, transport));
  }
}
