package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.nfs.v4.Nfs4TestClient.bytes;
import static sluice.nfs.v4.Nfs4TestClient.exclusive;
import static sluice.nfs.v4.Nfs4TestClient.getAttr;
import static sluice.nfs.v4.Nfs4TestClient.guarded;
import static sluice.nfs.v4.Nfs4TestClient.lookup;
import static sluice.nfs.v4.Nfs4TestClient.mkdir;
import static sluice.nfs.v4.Nfs4TestClient.named;
import static sluice.nfs.v4.Nfs4TestClient.open;
import static sluice.nfs.v4.Nfs4TestClient.plain;
import static sluice.nfs.v4.Nfs4TestClient.putFh;
import static sluice.nfs.v4.Nfs4TestClient.reclaim;
import static sluice.nfs.v4.Nfs4TestClient.setMode;
import static sluice.nfs.v4.Nfs4TestClient.setSize;
import static sluice.nfs.v4.Nfs4TestClient.unchecked;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.nfs.CrashDevice;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.Nfs4TestClient.Opened;
import sluice.nfs.v4.Nfs4TestClient.Reply;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;

/// Tests COMPOUNDs that are retransmitted after the server was killed: completed changes are
/// answered and not done twice.
@Timeout(240)
final class Nfs4DuplicatesTest {
  private static final Op HANDLE = plain(Nfs4Op.GETFH);
  private static final Op SAVE = plain(Nfs4Op.SAVEFH);

  /// A request of a client on one slot.
  private record Request(int slot, List<Op> list) {
    Op[] ops() {
      return list.toArray(Op[]::new);
    }
  }

  private static Request request(int slot, Op... ops) {
    return new Request(slot, List.of(ops));
  }

  private static Op rename(String from, String to) {
    return out -> out.int32(Nfs4Op.RENAME).opaque(bytes(from)).opaque(bytes(to));
  }

  /// Returns the bytes of a reply behind its header.
  private static byte[] rest(Reply reply) {
    int from = RpcTestCalls.RESULTS_AT;
    return Arrays.copyOfRange(reply.bytes, from, reply.bytes.length);
  }

  /// Returns one request for each kind of change, each on its own slot; each except the first
  /// depends on the ones before.
  private static List<Request> changes(Nfs4TestClient client, byte[] data) {
    Opened file = client.open(data, open("o", 3, 0, unchecked(0644), "file"));
    Op here = putFh(data);
    List<Request> all = new ArrayList<>();
    all.add(request(1, here, mkdir("dir", 0755), HANDLE, getAttr(1, 4)));
    all.add(request(2, here, open("a", 3, 0, guarded(0644), "guarded"), HANDLE, getAttr(1)));
    all.add(request(3, here, open("b", 3, 0, exclusive(77, 0644), "only"), HANDLE));
    all.add(
        request(
            4,
            putFh(file.handle()),
            SAVE,
            here,
            named(Nfs4Op.LINK, "link"),
            plain(Nfs4Op.RESTOREFH),
            getAttr(1, 35)));
    all.add(request(5, here, SAVE, here, rename("link", "moved"), getAttr(1)));
    all.add(request(6, here, named(Nfs4Op.REMOVE, "moved")));
    all.add(request(7, here, named(Nfs4Op.REMOVE, "dir")));
    all.add(request(8, putFh(file.handle()), setMode(0600), getAttr(33)));
    all.add(request(9, putFh(file.handle()), setSize(StateId.ANONYMOUS, 5000)));
    all.add(request(10, putFh(file.handle()), setSize(StateId.ANONYMOUS, 10)));
    return all;
  }

  @Test
  void theFirstAnswerIsGivenAgain() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient client = rig.client("one");
      byte[] data = client.handle("srv", "data");
      for (Request request : changes(client, data)) {
        byte[] first = rest(client.tryOn(request.slot, request.ops()));
        rig.crash(rig.device.killed());
        byte[] again = rest(client.repeat(request.slot, request.ops()));
        if (request.slot == 2 || request.slot == 3) { // the open has ended with the server
          assertThat(again).as("request %d", request.slot).hasSameSizeAs(first);
          assertThat(status(again)).as("request %d", request.slot).isZero();
        } else {
          assertThat(again).as("request %d", request.slot).isEqualTo(first);
        }
        assertThat(rest(client.repeat(request.slot, request.ops()))).isEqualTo(again);
        assertThat(client.tryOn(request.slot, request.ops()).status)
            .as("the next request of a session that has gone")
            .isEqualTo(Nfs4Status.BADSESSION);
        client.connect();
        client.reclaimComplete();
      }
    }
  }

  private static int status(byte[] results) {
    return RpcTestCalls.reader(results, 0).int32();
  }

  /// The file of an OPEN that was done but not answered can be reclaimed.
  @Test
  void whatWasOpenedCanBeClaimed() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient client = rig.client("one");
      byte[] data = client.handle("srv", "data");
      Op[] ops = {putFh(data), open("a", 3, 0, guarded(0644), "new"), HANDLE};
      client.tryOn(4, ops);
      rig.crash(rig.device.killed());
      Reply again = client.repeat(4, ops).sequence().plain(Nfs4Op.PUTFH);
      XdrReader in = again.ok(Nfs4Op.OPEN);
      StateId past = StateId.read(in);
      in.skip(20 + 4);
      Bitmap.read(in);
      in.int32();
      byte[] handle = again.ok(Nfs4Op.GETFH).opaque(128);
      client.connect();
      assertThat(client.statusOn(handle, Nfs4TestClient.read(past, 0, 1)))
          .isEqualTo(Nfs4Status.STALE_STATEID);
      Opened claimed = client.open(handle, reclaim("a", 3, 0));
      client.reclaimComplete();
      assertThat(claimed.handle()).isEqualTo(handle);
      assertThat(client.statusOn(handle, Nfs4TestClient.write(claimed.id(), 0, 2, bytes("x"))))
          .isZero();
    }
  }

  /// Only an identical request is answered.
  @Test
  void othersAreTold() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient client = rig.client("one");
      byte[] data = client.handle("srv", "data");
      Op[] ops = {putFh(data), mkdir("d", 0755), HANDLE};
      Op[] mixed = {putFh(data), mkdir("e", 0755), mkdir("f", 0755)};
      assertThat(client.tryOn(3, ops).status).isZero();
      assertThat(client.tryOn(5, mixed).status).isZero();
      assertThat(client.tryOn(6, putFh(data), lookup("d")).status).isZero();
      rig.crash(rig.device.killed());
      assertThat(client.repeat(4, ops).status).as("slot").isEqualTo(Nfs4Status.BADSESSION);
      assertThat(client.repeat(3, putFh(data), mkdir("x", 0755), HANDLE).status)
          .as("arguments")
          .isEqualTo(Nfs4Status.BADSESSION);
      assertThat(client.repeat(6, putFh(data), lookup("d")).status)
          .as("nothing was changed")
          .isEqualTo(Nfs4Status.BADSESSION);
      client.calls.as(7, 7);
      assertThat(client.repeat(3, ops).status).as("caller").isEqualTo(Nfs4Status.BADSESSION);
      client.calls.as(0, 0);
      client.sequences[3]++;
      assertThat(client.repeat(3, ops).status).as("sequence").isEqualTo(Nfs4Status.BADSESSION);
      client.sequences[3]--;
      assertThat(client.repeat(3, ops).status).isZero();
      Reply last = client.repeat(5, mixed); // of two changes the last one is recorded
      assertThat(last.status).isZero();
      assertThat(last.count).isEqualTo(4);
    }
  }

  /// Without `sa_cachethis` nothing is recorded.
  @Test
  void aClientThatDoesNotAskIsTold() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient client = rig.client("one");
      byte[] data = client.handle("srv", "data");
      client.cache = false;
      Op[] ops = {putFh(data), mkdir("d", 0755)};
      assertThat(client.tryOn(3, ops).status).isZero();
      rig.crash(rig.device.killed());
      assertThat(client.repeat(3, ops).status).isEqualTo(Nfs4Status.BADSESSION);
    }
  }

  /// The machine crashes while requests wait for the journal: each was done and is answered, or was
  /// not done and can be repeated.
  @Test
  void crashes() throws Exception {
    for (int seed = 0; seed < 24; seed++) {
      Random random = new Random(seed);
      try (Nfs4Rig rig = new Nfs4Rig()) {
        Nfs4TestClient client;
        byte[] data;
        List<Request> requests = new ArrayList<>();
        CrashDevice left;
        try (Nfs4Stream stream = new Nfs4Stream(rig)) {
          client = stream.client;
          data = client.handle("srv", "data");
          for (int i = 0; i < 16; i++) {
            assertThat(client.statusOn(data, mkdir("old" + i, 0755))).isZero();
            Op change =
                switch (random.nextInt(3)) {
                  case 0 -> mkdir("new" + i, 0755);
                  case 1 -> named(Nfs4Op.REMOVE, "old" + i);
                  default -> open("o" + i, 3, 0, guarded(0644), "new" + i);
                };
            requests.add(request(1 + i, putFh(data), change));
          }
          for (Request request : requests) {
            stream.add(request.slot, request.slot, request.ops());
          }
          stream.flush();
          int answered = random.nextInt(requests.size());
          for (int i = 0; i < answered; i++) {
            assertThat(stream.receive().status()).isZero();
          }
          left = rig.device.crashed(random);
          for (int i = answered; i < requests.size(); i++) {
            assertThat(stream.receive().status()).isZero();
          }
        }
        rig.crash(left);
        List<Request> lost = new ArrayList<>();
        for (Request request : requests) {
          int status = client.repeat(request.slot, request.ops()).status;
          assertThat(status)
              .as("seed %d, request %d", seed, request.slot)
              .isIn(NfsStatus.OK, Nfs4Status.BADSESSION);
          if (status != NfsStatus.OK) {
            lost.add(request);
          }
        }
        client.connect();
        client.reclaimComplete();
        for (Request request : lost) {
          assertThat(client.tryOn(request.slot, request.ops()).status)
              .as("seed %d, request %d done anew", seed, request.slot)
              .isZero();
        }
        for (int i = 0; i < requests.size(); i++) {
          assertThat(exists(rig, "new" + i) || !exists(rig, "old" + i)).isTrue();
        }
      }
    }
  }

  private static boolean exists(Nfs4Rig rig, String name) throws IOException {
    try {
      return rig.tree.lookup(Caller.ROOT, rig.tree.rootInode(), bytes(name)) > 0;
    } catch (FsException notThere) {
      return false;
    }
  }
}
