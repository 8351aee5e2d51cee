package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.RpcServer;
import sluice.nfs.rpc.RpcServerRig;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.RpcTestClient;
import sluice.nfs.rpc.Wire;
import sluice.testbase.Await;

/// Tests calls over TCP that change names: their replies wait for the journal, and many share a
/// commit.
@Timeout(240)
final class Nfs3GroupCommitTest {
  private static final int CALLS = 40;

  private static byte[] mkdir(int xid, byte[] directory, String name) {
    return Nfs3Client.record(
        xid,
        Nfs3Procedure.MKDIR,
        w -> {
          Nfs3Client.where(w, directory, name);
          Nfs3Client.sattr(w, 0755);
        });
  }

  private static byte[] mkdirs(byte[] directory) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < CALLS; i++) {
      all.writeBytes(mkdir(i, directory, "d" + i));
    }
    return all.toByteArray();
  }

  /// Returns the NFS status of a reply.
  private static int status(byte[] reply) {
    return new Wire(reply, RpcTestCalls.RESULTS_AT).u32();
  }

  private static boolean exists(Nfs3Rig rig, String name) {
    try {
      return rig.tree.lookup(Caller.ROOT, rig.tree.rootInode(), Nfs3Client.name(name)) > 0;
    } catch (FsException notYet) {
      return false;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void repliesWaitForTheJournalAndShareIt() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.journaled();
        RpcServer server = RpcServerRig.serve(false, rig.nfs);
        RpcTestClient client = new RpcTestClient(server.server().port())) {
      int before = rig.device.flushes();
      rig.device.holdFlushes();
      client.send(mkdirs(rig.top));
      for (int i = 0; i < CALLS; i++) {
        String name = "d" + i;
        Await.until(name, () -> exists(rig, name));
      }
      assertThat(client.socket.getInputStream().available()).as("answered too early").isZero();
      rig.device.letFlushesGo();
      Set<Integer> answered = new HashSet<>();
      for (int i = 0; i < CALLS; i++) {
        byte[] reply = client.receive();
        assertThat(status(reply)).isZero();
        answered.add(ByteBuffer.wrap(reply).getInt());
      }
      assertThat(answered).hasSize(CALLS);
      assertThat(rig.device.flushes() - before).as("flushes for all calls").isLessThan(CALLS / 2);
      try (Nfs3Rig after = Nfs3Rig.over(rig.device.crashed(new Random(1)))) {
        for (int i = 0; i < CALLS; i++) {
          assertThat(exists(after, "d" + i)).as("d" + i).isTrue();
        }
      }
    }
  }

  private static byte[] write(int xid, byte[] file, long position, int stable) {
    return Nfs3Client.record(
        xid,
        Nfs3Procedure.WRITE,
        w ->
            w.opaque(file).int64(position).int32(4096).int32(stable).opaque(filled(4096, xid + 1)));
  }

  private static byte[] filled(int bytes, int value) {
    byte[] content = new byte[bytes];
    Arrays.fill(content, (byte) value);
    return content;
  }

  @Test
  void stableWritesShareTheJournal() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.journaled();
        RpcServer server = RpcServerRig.serve(false, rig.nfs);
        RpcTestClient client = new RpcTestClient(server.server().port())) {
      byte[] file = rig.root.create(rig.top, "file");
      long inode = rig.tree.lookup(Caller.ROOT, rig.tree.rootInode(), Nfs3Client.name("file"));
      int before = rig.device.flushes();
      rig.device.holdFlushes();
      // DATA_SYNC and FILE_SYNC; the last one is made stable by COMMIT.
      for (int i = 0; i < CALLS; i++) {
        client.send(write(i, file, 4096L * i, i == CALLS - 1 ? 0 : 1 + i % 2));
      }
      client.receive(); // the reply to the UNSTABLE write
      client.send(
          Nfs3Client.record(CALLS, Nfs3Procedure.COMMIT, w -> w.opaque(file).int64(0).int32(0)));
      Await.until("all writes", () -> sizeOf(rig, inode) == 4096L * CALLS);
      Thread.sleep(20); // an unstable reply can only be too early
      assertThat(client.socket.getInputStream().available()).as("answered too early").isZero();
      rig.device.letFlushesGo();
      for (int i = 0; i < CALLS; i++) {
        assertThat(status(client.receive())).isZero();
      }
      assertThat(rig.device.flushes() - before).as("flushes for all calls").isLessThan(CALLS / 2);
      try (Nfs3Rig after = Nfs3Rig.over(rig.device.crashed(new Random(1)))) {
        for (int i = 0; i < CALLS; i++) {
          assertThat(after.root.read(file, 4096L * i, 4096)).isEqualTo(filled(4096, i + 1));
        }
      }
    }
  }

  private static long sizeOf(Nfs3Rig rig, long inode) {
    try {
      return rig.tree.attributes(inode).sizeBytes();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aCallThatIsRepeatedAtOnceGetsTheSameAnswer() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.journaled();
        RpcServer server = RpcServerRig.serve(false, rig.nfs);
        RpcTestClient client = new RpcTestClient(server.server().port())) {
      for (int i = 0; i < 50; i++) {
        ByteArrayOutputStream twice = new ByteArrayOutputStream();
        twice.writeBytes(mkdir(1000 + i, rig.top, "before" + i));
        twice.writeBytes(mkdir(i, rig.top, "d" + i));
        twice.writeBytes(mkdir(i, rig.top, "d" + i));
        client.send(twice.toByteArray());
        Set<ByteBuffer> replies = new HashSet<>();
        for (int n = 0; n < 3; n++) {
          byte[] reply = client.receive();
          assertThat(status(reply)).isZero();
          replies.add(ByteBuffer.wrap(reply));
        }
        assertThat(replies).hasSize(2);
      }
    }
  }

  @Test
  void whatNeverBecomesStableIsAnError() throws Exception {
    Nfs3Rig rig = Nfs3Rig.journaled();
    try (RpcServer server = RpcServerRig.serve(false, rig.nfs);
        RpcTestClient client = new RpcTestClient(server.server().port())) {
      rig.device.breakFlushes();
      client.send(mkdirs(rig.top));
      for (int i = 0; i < CALLS; i++) {
        assertThat(status(client.receive())).isIn(NfsStatus.IO, NfsStatus.ROFS);
      }
    }
    assertThatThrownBy(rig::close).isInstanceOf(IOException.class);
    rig.device.close();
  }

  @Test
  void withoutAJournalTheyWaitForTheDevice() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.plain();
        RpcServer server = RpcServerRig.serve(false, rig.nfs);
        RpcTestClient client = new RpcTestClient(server.server().port())) {
      int before = rig.device.flushes();
      client.send(mkdirs(rig.top));
      for (int i = 0; i < CALLS; i++) {
        assertThat(status(client.receive())).isZero();
      }
      assertThat(rig.device.flushes()).isGreaterThan(before);
    }
  }
}
