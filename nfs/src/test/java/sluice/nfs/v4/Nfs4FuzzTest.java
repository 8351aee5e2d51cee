package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.nfs.export.FileHandles;
import sluice.nfs.rpc.RpcRefusal;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.Nfs4TestClient.Opened;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;

/// Sends COMPOUNDs of random operations with random arguments, and damaged valid ones: every reply
/// can be decoded, and the server keeps working.
@Timeout(300)
final class Nfs4FuzzTest {
  private static final int ROUNDS = Integer.getInteger("sluice.nfs.fuzz", 6000);

  private final Random random = new Random(1);

  private byte[][] handles = {};
  private StateId[] ids = {};

  private Op any(Nfs4TestClient client) {
    int op = random.nextInt(8) == 0 ? random.nextInt() : 2 + random.nextInt(60);
    return to -> {
      switch (random.nextInt(4)) {
        case 0 -> Nfs4TestClient.putFh(handles[random.nextInt(handles.length)]).write(to);
        case 1 -> Nfs4TestClient.plain(Nfs4Op.SAVEFH).write(to);
        default -> {
          to.int32(op);
          int parts = random.nextInt(8);
          for (int i = 0; i < parts; i++) {
            part(to, client);
          }
        }
      }
    };
  }

  private void part(XdrWriter to, Nfs4TestClient client) {
    switch (random.nextInt(9)) {
      case 0 -> to.opaque(handles[random.nextInt(handles.length)]);
      case 1 -> ids[random.nextInt(ids.length)].write(to);
      case 2 -> to.opaque(new byte[] {(byte) ('a' + random.nextInt(6))});
      case 3 -> to.int32(random.nextInt(4));
      case 4 -> to.int64(random.nextInt(1000) - 2);
      case 5 -> to.int64(client.id);
      case 6 -> new Bitmap(random.nextLong(), random.nextInt(), false).write(to);
      case 7 -> to.int32(random.nextInt());
      default -> to.bool(random.nextBoolean()).bool(random.nextBoolean());
    }
  }

  @Test
  void anyOperations() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient client = rig.client("fuzz");
      prepare(client);
      for (int i = 0; i < ROUNDS; i++) {
        Op[] ops = new Op[1 + random.nextInt(6)];
        for (int j = 0; j < ops.length; j++) {
          ops[j] = any(client);
        }
        client.cache = random.nextBoolean();
        Nfs4TestClient.Reply reply = client.tryOn(0, ops);
        assertThat(reply.count).as("round %d", i).isBetween(1, ops.length + 1);
        if (reply.status == Nfs4Status.BADSESSION) {
          client.verifier++; // the session has destroyed itself
          client.connect();
        }
      }
      Nfs4TestClient after = rig.client("after");
      assertThat(after.handle("srv", "data")).hasSize(FileHandles.BYTES);
    }
  }

  private void prepare(Nfs4TestClient client) {
    byte[] data = client.handle("srv", "data");
    Opened file =
        client.open(data, Nfs4TestClient.open("o", 3, 0, Nfs4TestClient.unchecked(0644), "a"));
    client.statusOn(data, Nfs4TestClient.mkdir("b", 0755));
    handles =
        new byte[][] {
          data, file.handle(), client.handle("srv"), client.handle("srv", "data", "b"), new byte[40]
        };
    ids =
        new StateId[] {
          file.id(),
          StateId.ANONYMOUS,
          StateId.INVALID,
          new StateId(1, 0, 0),
          new StateId(-1, -1, -1)
        };
  }

  @Test
  void damagedMessages() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient client = rig.client("fuzz");
      prepare(client);
      for (int i = 0; i < ROUNDS; i++) {
        XdrWriter good = new XdrWriter(RpcTestCalls.MOST_BYTES);
        client.sequences[1]++;
        good.opaque(new byte[0]).int32(1).int32(3);
        client.sequence(1, client.sequences[1]).write(good);
        Nfs4TestClient.putFh(handles[random.nextInt(3)]).write(good);
        any(client).write(good);
        byte[] bytes = good.toBytes();
        for (int j = random.nextInt(3); j >= 0; j--) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length) & ~3 : bytes.length;
        RpcTestCalls.Reply reply =
            client.calls.call(100_003, 4, 1, to -> to.fixed(bytes, 0, length));
        assertThat(reply.status()).as("round %d", i).isIn(0, RpcRefusal.GARBAGE_ARGUMENTS);
        if (reply.status() == 0 && reply.results().int32() != 0) {
          client.verifier++;
          client.connect();
        }
      }
    }
  }
}
