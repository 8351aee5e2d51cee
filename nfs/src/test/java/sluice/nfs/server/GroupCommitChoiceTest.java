package sluice.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.nfs.v4.Nfs4TestClient.close;
import static sluice.nfs.v4.Nfs4TestClient.mkdir;
import static sluice.nfs.v4.Nfs4TestClient.named;
import static sluice.nfs.v4.Nfs4TestClient.open;
import static sluice.nfs.v4.Nfs4TestClient.plain;
import static sluice.nfs.v4.Nfs4TestClient.putFh;
import static sluice.nfs.v4.Nfs4TestClient.readDir;
import static sluice.nfs.v4.Nfs4TestClient.setMode;
import static sluice.nfs.v4.Nfs4TestClient.unchecked;
import static sluice.nfs.v4.Nfs4TestClient.write;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.FileTree;
import sluice.memory.View;
import sluice.nfs.rpc.GroupCommitQueue;
import sluice.nfs.rpc.RpcProgram;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.TestDispatcher;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v3.Nfs3Client;
import sluice.nfs.v3.Nfs3Procedure;
import sluice.nfs.v3.Nfs3Rig;
import sluice.nfs.v4.Nfs4Rig;
import sluice.nfs.v4.Nfs4TestClient;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.Nfs4TestClient.Opened;
import sluice.nfs.v4.wire.Nfs4Op;

/// Tests which calls use the group commit queue, and which get their own worker.
@Timeout(120)
final class GroupCommitChoiceTest {
  private static final int CONTENT_BYTES = GroupCommitQueue.MOST_CONTENT_BYTES;

  /// Returns true if a call that the loop's thread passes on is for the group commit queue.
  private static boolean fitsGroupCommit(
      RpcProgram program, int version, Consumer<XdrWriter> arguments) {
    XdrWriter to = new XdrWriter(RpcTestCalls.MOST_BYTES);
    to.int32(1).int32(0).int32(2).int32(100_003).int32(version);
    arguments.accept(to);
    byte[] message = to.toBytes();
    TestDispatcher dispatcher = new TestDispatcher(program);
    XdrWriter reply = new XdrWriter(RpcTestCalls.MOST_BYTES);
    View shown = RpcTestCalls.view(message);
    assertThat(dispatcher.tryCall(shown, message.length, reply)).as("answered at once").isFalse();
    reply.clear();
    return dispatcher.fitsGroupCommit();
  }

  // ---- NFSv3 ------------------------------------------------------------------------------------

  private static boolean fitsGroupCommit(
      Nfs3Rig rig, Nfs3Procedure procedure, Consumer<XdrWriter> arguments) {
    return fitsGroupCommit(
        rig.nfs,
        3,
        to -> {
          to.int32(procedure.number());
          RpcTestCalls.credentials(to, 0, 0, "client");
          arguments.accept(to);
        });
  }

  private static Consumer<XdrWriter> writes(byte[] file, int bytes, int stable) {
    return to -> to.opaque(file).int64(0).int32(bytes).int32(stable).opaque(new byte[bytes]);
  }

  @Test
  void callsOfNfs3() throws IOException {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      byte[] file = rig.root.create(rig.top, "file");
      assertThat(
              fitsGroupCommit(
                  rig, Nfs3Procedure.REMOVE, to -> Nfs3Client.where(to, rig.top, "file")))
          .isTrue();
      assertThat(fitsGroupCommit(rig, Nfs3Procedure.WRITE, writes(file, CONTENT_BYTES, 2)))
          .isTrue();
      assertThat(fitsGroupCommit(rig, Nfs3Procedure.WRITE, writes(file, 4, 0))).isTrue();
      assertThat(fitsGroupCommit(rig, Nfs3Procedure.WRITE, writes(file, CONTENT_BYTES + 1, 2)))
          .isFalse();
      Consumer<XdrWriter> all = to -> to.opaque(file).int64(0).int32(0);
      assertThat(fitsGroupCommit(rig, Nfs3Procedure.COMMIT, all)).isTrue();
      assertThat(fitsGroupCommit(rig, Nfs3Procedure.FSSTAT, to -> to.opaque(file))).isFalse();
    }
    try (Nfs3Rig rig = Nfs3Rig.through(GroupCommitChoiceTest::contentApart)) {
      byte[] file = rig.root.create(rig.top, "file");
      assertThat(
              fitsGroupCommit(
                  rig, Nfs3Procedure.REMOVE, to -> Nfs3Client.where(to, rig.top, "file")))
          .isTrue();
      assertThat(fitsGroupCommit(rig, Nfs3Procedure.WRITE, writes(file, 4, 2))).isFalse();
    }
  }

  /// Returns a tree whose file data become stable file by file, as in a host directory.
  private static FileTree contentApart(FileTree whole) {
    return (FileTree)
        Proxy.newProxyInstance(
            FileTree.class.getClassLoader(),
            new Class<?>[] {FileTree.class},
            (_, method, arguments) -> {
              if (method.getName().equals("ordersContent")) {
                return false;
              }
              try {
                return method.invoke(whole, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  // ---- NFSv4.1 ----------------------------------------------------------------------------------

  private static boolean fitsGroupCommit(Nfs4Rig rig, Nfs4TestClient client, Op... ops) {
    return fitsGroupCommit(
        rig.program,
        4,
        to -> {
          to.int32(1);
          RpcTestCalls.credentials(to, 0, 0, "client");
          to.opaque(new byte[0]).int32(1).int32(1 + ops.length);
          client.sequence(3, 1).write(to);
          for (Op op : ops) {
            op.write(to);
          }
        });
  }

  @Test
  void compounds() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient client = rig.client("one");
      byte[] data = client.handle("srv", "data");
      Opened file = client.open(data, open("o", 3, 0, unchecked(0644), "file"));
      Op here = putFh(data);
      Op put = putFh(file.handle());
      Op handle = plain(Nfs4Op.GETFH);
      assertThat(fitsGroupCommit(rig, client, here, open("o", 3, 0, unchecked(0644), "x"), handle))
          .isTrue();
      assertThat(fitsGroupCommit(rig, client, here, mkdir("x", 0755), handle)).isTrue();
      assertThat(fitsGroupCommit(rig, client, here, named(Nfs4Op.REMOVE, "x"))).isTrue();
      assertThat(
              fitsGroupCommit(
                  rig, client, put, plain(Nfs4Op.SAVEFH), here, named(Nfs4Op.LINK, "x")))
          .isTrue();
      assertThat(fitsGroupCommit(rig, client, put, setMode(0600))).isTrue();
      assertThat(fitsGroupCommit(rig, client, put, close(file.id()))).isTrue();
      assertThat(fitsGroupCommit(rig, client, put, write(file.id(), 0, 2, new byte[CONTENT_BYTES])))
          .isTrue();
      assertThat(
              fitsGroupCommit(
                  rig, client, put, write(file.id(), 0, 2, new byte[CONTENT_BYTES + 1])))
          .isFalse();
      assertThat(fitsGroupCommit(rig, client, put, plain(Nfs4Op.WRITE))).as("cut short").isTrue();
      assertThat(fitsGroupCommit(rig, client, put, to -> to.int32(Nfs4Op.COMMIT).int64(0).int32(0)))
          .isTrue();
      assertThat(fitsGroupCommit(rig, client, here, readDir(0, 4096, 1))).isFalse();
      assertThat(fitsGroupCommit(rig, client, plain(Nfs4Op.PUTROOTFH))).isFalse();
    }
    try (Nfs4Rig rig = new Nfs4Rig(GroupCommitChoiceTest::contentApart)) {
      Nfs4TestClient client = rig.client("one");
      byte[] data = client.handle("srv", "data");
      Opened file = client.open(data, open("o", 3, 0, unchecked(0644), "file"));
      assertThat(fitsGroupCommit(rig, client, putFh(data), mkdir("x", 0755))).isTrue();
      assertThat(
              fitsGroupCommit(
                  rig, client, putFh(file.handle()), write(file.id(), 0, 2, new byte[4])))
          .isFalse();
    }
  }
}
