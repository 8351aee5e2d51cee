package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.nfs.ExportOptions;
import sluice.nfs.Squash;
import sluice.nfs.export.Export;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.Credentials;
import sluice.nfs.rpc.RpcRefusal;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.Wire;

/// Tests MOUNT, and which clients may use an export as which user.
@Timeout(120)
final class MountProgramTest {
  private final Nfs3Rig rig = Nfs3Rig.journaled();
  private final Nfs3Client client = rig.root;

  MountProgramTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    rig.close();
  }

  private List<String> dump() {
    Wire answer = client.mountCall(2, w -> {});
    List<String> all = new ArrayList<>();
    while (answer.bool()) {
      all.add(text(answer) + " " + text(answer));
    }
    answer.end();
    return all;
  }

  private static String text(Wire answer) {
    return new String(answer.opaque(), StandardCharsets.UTF_8);
  }

  private int mountStatus(String path) {
    Wire answer = client.mountCall(1, w -> w.opaque(Nfs3Client.name(path)));
    int status = answer.u32();
    if (status != 0) {
      answer.end();
    }
    return status;
  }

  @Test
  void mountsAreNotedAndForgotten() {
    client.mkdir(rig.top, "sub");
    client.mount("/data/sub");
    String me = InetAddress.getLoopbackAddress().getHostAddress();
    assertThat(dump()).containsExactly(me + " /data", me + " /data/sub");
    client.mountCall(3, w -> w.opaque(Nfs3Client.name("/data/sub"))).end();
    assertThat(dump()).containsExactly(me + " /data");
    client.mountCall(4, w -> {}).end();
    assertThat(dump()).isEmpty();
    client.mountCall(0, w -> {}).end();
    for (int i = 0; i < 1100; i++) {
      client.mount("/data" + "/".repeat(i % 1000));
    }
    assertThat(dump()).hasSizeLessThanOrEqualTo(1024);
    assertThat(client.calls.call(100005, 3, 6).status()).isEqualTo(3);
    assertThat(client.calls.call(100005, 3, 1, w -> w.opaque(new byte[1025])).status())
        .isEqualTo(RpcRefusal.GARBAGE_ARGUMENTS);
  }

  @Test
  void pathsThatAreNone() {
    client.create(rig.top, "f");
    client.symlink(rig.top, "l", "f");
    assertThat(mountStatus("/dat")).isEqualTo(NfsStatus.NOENT);
    assertThat(mountStatus("/data2")).isEqualTo(NfsStatus.NOENT);
    assertThat(mountStatus("")).isEqualTo(NfsStatus.NOENT);
    assertThat(mountStatus("/data/no")).isEqualTo(NfsStatus.NOENT);
    assertThat(mountStatus("/data/..")).isEqualTo(NfsStatus.NOENT);
    assertThat(mountStatus("/data/f")).isEqualTo(NfsStatus.NOTDIR);
    assertThat(mountStatus("/data/l")).isEqualTo(NfsStatus.NOTDIR);
    assertThat(mountStatus("/data/f/x")).isEqualTo(NfsStatus.NOTDIR);
    assertThat(mountStatus("/data/" + "x".repeat(300))).isEqualTo(NfsStatus.NAMETOOLONG);
    assertThat(mountStatus("/data/")).isZero();
  }

  @Test
  void exportsAreListed() throws IOException {
    rig.exports.add(
        "/some", rig.tree, "/", ExportOptions.defaults().withClients("192.0.2.0/24", "::1"));
    Wire answer = client.mountCall(5, w -> {});
    assertThat(answer.bool()).isTrue();
    assertThat(text(answer)).isEqualTo("/data");
    assertThat(answer.bool()).isFalse();
    assertThat(answer.bool()).isTrue();
    assertThat(text(answer)).isEqualTo("/some");
    assertThat(answer.bool()).isTrue();
    assertThat(text(answer)).isEqualTo("192.0.2.0/24");
    assertThat(answer.bool()).isTrue();
    assertThat(text(answer)).isEqualTo("::1");
    assertThat(answer.bool()).isFalse();
    assertThat(answer.bool()).isFalse();
    answer.end();
  }

  @Test
  void onlyListedClientsMayUseIt() throws IOException {
    rig.exports.add("/some", rig.tree, "/", ExportOptions.defaults().withClients("192.0.2.0/25"));
    assertThat(mountStatus("/some")).isEqualTo(NfsStatus.ACCES);
    client.calls.from(5, InetAddress.getByName("192.0.2.127"), 700);
    byte[] top = client.mount("/some");
    assertThat(client.getattrStatus(top)).isZero();
    client.calls.from(6, InetAddress.getByName("192.0.2.128"), 700);
    assertThat(client.getattrStatus(top)).isEqualTo(NfsStatus.ACCES); // also with a handle
    Wire refused = client.call(Nfs3Procedure.ACCESS, w -> w.opaque(top).int32(1));
    assertThat(refused.u32()).isEqualTo(NfsStatus.ACCES);
    assertThat(refused.postOp()).isNull(); // no attributes for them
    refused.end();
  }

  private static Caller caller(Nfs3Rig rig, Squash squash, Credentials by) throws IOException {
    ExportOptions options = ExportOptions.defaults().withSquash(squash).withAnonymous(1000, 2000);
    Export export = new Export("/x", rig.exports.list().get(0).exported(), 2, options);
    assertThat(export.caller(by)).isSameAs(export.caller(by));
    return export.caller(by);
  }

  @Test
  void squash() throws IOException {
    Credentials root = RpcTestCalls.user(0, 0, "m", 0, 5);
    Credentials user = RpcTestCalls.user(7, 8, "m", 0, 5);
    assertThat(caller(rig, Squash.NONE, root)).isEqualTo(new Caller(0, 0, 0, 5));
    assertThat(caller(rig, Squash.ROOT, root)).isEqualTo(new Caller(1000, 2000, 2000, 5));
    assertThat(caller(rig, Squash.ROOT, user)).isEqualTo(new Caller(7, 8, 2000, 5));
    assertThat(caller(rig, Squash.ALL, user)).isEqualTo(new Caller(1000, 2000));
    assertThat(caller(rig, Squash.NONE, RpcTestCalls.nobody())).isEqualTo(new Caller(1000, 2000));
  }
}
