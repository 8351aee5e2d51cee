package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.nfs.v4.Nfs4TestClient.bytes;
import static sluice.nfs.v4.Nfs4TestClient.getAttr;
import static sluice.nfs.v4.Nfs4TestClient.mkdir;
import static sluice.nfs.v4.Nfs4TestClient.named;
import static sluice.nfs.v4.Nfs4TestClient.open;
import static sluice.nfs.v4.Nfs4TestClient.plain;
import static sluice.nfs.v4.Nfs4TestClient.putFh;
import static sluice.nfs.v4.Nfs4TestClient.setMode;
import static sluice.nfs.v4.Nfs4TestClient.unchecked;
import static sluice.nfs.v4.Nfs4TestClient.write;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FsException;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.nfs.CrashDevice;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.v4.Nfs4Stream.Answer;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.Nfs4TestClient.Opened;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;
import sluice.testbase.Await;

/// Tests COMPOUNDs over TCP that change something: their replies and slots wait for the journal,
/// and many share a commit.
@Timeout(240)
final class Nfs4GroupCommitTest {
  private static final int CALLS = 40;

  private static boolean exists(Ext2 tree, String name) {
    try {
      return tree.lookup(Caller.ROOT, tree.rootInode(), bytes(name)) > 0;
    } catch (FsException notYet) {
      return false;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static FileAttributes attributes(Ext2 tree, long inode) {
    try {
      return tree.attributes(inode);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /// Returns the operations by which Linux creates a directory.
  private static Op[] makes(byte[] directory, String name) {
    return new Op[] {putFh(directory), mkdir(name, 0755), plain(Nfs4Op.GETFH), getAttr(1, 3, 4)};
  }

  @Test
  void repliesWaitForTheJournalAndShareIt() throws Exception {
    try (Nfs4Rig rig = new Nfs4Rig();
        Nfs4Stream stream = new Nfs4Stream(rig)) {
      byte[] data = stream.client.handle("srv", "data");
      int before = rig.device.flushes();
      rig.device.holdFlushes();
      for (int i = 0; i < CALLS; i++) {
        stream.add(i, i, makes(data, "d" + i));
      }
      stream.flush();
      for (int i = 0; i < CALLS; i++) {
        String name = "d" + i;
        Await.until(name, () -> exists(rig.tree, name));
      }
      stream.addAgain(1000, 7, makes(data, "d7"));
      stream.flush();
      Answer early = stream.receive();
      assertThat(early.xid()).as("only the retry is answered").isEqualTo(1000);
      assertThat(early.status()).isEqualTo(Nfs4Status.DELAY);
      rig.device.letFlushesGo();
      Map<Integer, Answer> answers = new HashMap<>();
      for (int i = 0; i < CALLS; i++) {
        Answer answer = stream.receive();
        assertThat(answer.status()).isZero();
        assertThat(answer.count()).isEqualTo(5);
        answers.put(answer.xid(), answer);
      }
      assertThat(answers).hasSize(CALLS);
      assertThat(rig.device.flushes() - before).as("flushes for all calls").isLessThan(CALLS / 2);
      stream.addAgain(1001, 7, makes(data, "d7"));
      stream.flush();
      Answer again = stream.receive();
      assertThat(again.status()).isZero();
      XdrReader first = Objects.requireNonNull(answers.get(7)).in();
      assertThat(again.in().fixed(again.in().remaining()))
          .isEqualTo(first.fixed(first.remaining()));
      try (CrashDevice crashed = rig.device.crashed(new Random(1));
          Ext2 after = Ext2.mount(crashed, MountOptions.defaults().withCacheBytes(8 << 20))) {
        for (int i = 0; i < CALLS; i++) {
          assertThat(exists(after, "d" + i)).as("d" + i).isTrue();
        }
      }
    }
  }

  /// The operations of a change, and a test that it was done.
  private record Change(List<Op> ops, BooleanSupplier done) {}

  /// Each kind of change is done, but not answered, while the device does not flush.
  @Test
  void everyChangeWaits() throws Exception {
    try (Nfs4Rig rig = new Nfs4Rig();
        Nfs4Stream stream = new Nfs4Stream(rig)) {
      Ext2 tree = rig.tree;
      byte[] data = stream.client.handle("srv", "data");
      Opened file = stream.client.open(data, open("o", 3, 0, unchecked(0644), "file"));
      long inode = tree.lookup(Caller.ROOT, tree.rootInode(), bytes("file"));
      byte[] content = new byte[8000];
      Op renamed = to -> to.int32(Nfs4Op.RENAME).opaque(bytes("link")).opaque(bytes("moved"));
      Op saved = plain(Nfs4Op.SAVEFH);
      Op commit = to -> to.int32(Nfs4Op.COMMIT).int64(0).int32(0);
      Op[] made = {putFh(data), open("o", 3, 0, unchecked(0644), "new"), plain(Nfs4Op.GETFH)};
      Op[] fileSync = {putFh(file.handle()), write(file.id(), 0, 2, content)};
      Op[] dataSync = {putFh(file.handle()), write(file.id(), 8000, 1, content)};
      Op[] committed = {putFh(file.handle()), write(file.id(), 16000, 0, content), commit};
      Op[] mode = {putFh(file.handle()), setMode(0600)};
      Op[] link = {putFh(file.handle()), saved, putFh(data), named(Nfs4Op.LINK, "link")};
      Op[] move = {putFh(data), saved, putFh(data), renamed};
      Op[] remove = {putFh(data), named(Nfs4Op.REMOVE, "moved")};
      List<Change> changes =
          List.of(
              new Change(List.of(made), () -> exists(tree, "new")),
              new Change(List.of(fileSync), () -> attributes(tree, inode).sizeBytes() == 8000),
              new Change(List.of(dataSync), () -> attributes(tree, inode).sizeBytes() == 16000),
              new Change(List.of(committed), () -> attributes(tree, inode).sizeBytes() == 24000),
              new Change(List.of(mode), () -> (attributes(tree, inode).mode() & 0777) == 0600),
              new Change(List.of(link), () -> exists(tree, "link")),
              new Change(List.of(move), () -> exists(tree, "moved")),
              new Change(List.of(remove), () -> !exists(tree, "moved")));
      int slot = 0;
      for (Change change : changes) {
        slot++;
        rig.device.holdFlushes();
        stream.add(slot, slot, change.ops.toArray(Op[]::new));
        stream.flush();
        Await.until("change " + slot, change.done::getAsBoolean);
        Thread.sleep(20); // an unstable reply can only be too early
        assertThat(stream.answered()).as("change %d is answered too early", slot).isFalse();
        rig.device.letFlushesGo();
        assertThat(stream.receive().status()).as("change %d", slot).isZero();
      }
    }
  }

  @Test
  void whatNeverBecomesStableIsAnError() throws Exception {
    Nfs4Rig rig = new Nfs4Rig();
    try (Nfs4Stream stream = new Nfs4Stream(rig)) {
      byte[] data = stream.client.handle("srv", "data");
      rig.device.breakFlushes();
      for (int i = 0; i < CALLS; i++) {
        stream.add(i, i, makes(data, "d" + i));
      }
      stream.flush();
      byte[] kept = new byte[0];
      for (int i = 0; i < CALLS; i++) {
        Answer answer = stream.receive();
        assertThat(answer.status()).isIn(NfsStatus.IO, NfsStatus.ROFS);
        assertThat(answer.count()).as("nothing behind CREATE").isEqualTo(3);
        byte[] rest = answer.in().fixed(answer.in().remaining());
        byte[] last = Arrays.copyOfRange(rest, rest.length - 8, rest.length);
        XdrReader result = RpcTestCalls.reader(last, 0);
        assertThat(result.int32()).isEqualTo(Nfs4Op.CREATE);
        assertThat(result.int32()).isEqualTo(answer.status());
        kept = answer.xid() == 0 ? rest : kept;
      }
      stream.addAgain(1000, 0, makes(data, "d0"));
      stream.flush();
      Answer again = stream.receive();
      assertThat(again.in().fixed(again.in().remaining())).isEqualTo(kept);
    }
    assertThatThrownBy(rig::close).isInstanceOf(IOException.class);
    rig.device.close();
  }
}
