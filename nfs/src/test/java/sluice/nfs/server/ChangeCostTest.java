package sluice.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.View;
import sluice.nfs.CrashDevice;
import sluice.nfs.rpc.RpcProgram;
import sluice.nfs.rpc.RpcServer;
import sluice.nfs.rpc.RpcServerRig;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.RpcTestClient;
import sluice.nfs.rpc.TestDispatcher;
import sluice.nfs.rpc.Wire;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v3.Nfs3Client;
import sluice.nfs.v3.Nfs3Procedure;
import sluice.nfs.v3.Nfs3Rig;
import sluice.nfs.v4.Nfs4Rig;
import sluice.nfs.v4.Nfs4Stream;
import sluice.nfs.v4.Nfs4TestClient;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.testbase.AllocatedBytes;
import sluice.testbase.CpuTime;

/// Measures the cost of calls that change names. Over TCP, with 64 calls in flight and including
/// client and compiler, the cost is only printed, except that the number of calls per commit is
/// checked. The memory used by their worker is limited.
@Timeout(600)
final class ChangeCostTest {
  private static final int IN_FLIGHT = 64;

  /// The maximum number of bytes per call: twice the measured value.
  private static final double MOST_BYTES_3 = 4800;

  private static final double MOST_BYTES_4 = 7400;

  private static final int ROUNDS = Integer.getInteger("sluice.costRounds", 40);

  private long begunNanos;
  private long begunCpu;
  private long begunBytes;
  private int begunFlushes;

  private static final int CALLS = 10_000;

  /// Two calls, of which the second undoes the first, in a loop. They do not wait for the journal.
  /// Confined to the test's thread.
  private static final class Undoing {
    private final byte[][] messages = new byte[2][];
    private final View[] shown = new View[2];
    private final TestDispatcher dispatcher;
    private final XdrWriter reply = new XdrWriter(RpcTestCalls.MOST_BYTES);

    /// The position of the number that differs in each call.
    private final int numberAt;

    private int number;

    /// The CPU time of the last measured calls.
    private long nanos;

    /// Creates the calls.
    ///
    /// @param first the first call as a record; `number` is its first number
    Undoing(RpcProgram program, byte[] first, byte[] second, int numberAt, int number) {
      dispatcher = new TestDispatcher(program);
      this.numberAt = numberAt;
      this.number = number;
      messages[0] = Arrays.copyOfRange(first, 4, first.length);
      messages[1] = Arrays.copyOfRange(second, 4, second.length);
      for (int i = 0; i < 2; i++) {
        shown[i] = RpcTestCalls.view(messages[i]);
      }
    }

    private void call(int which) {
      int length = messages[which].length;
      ByteBuffer.wrap(messages[which]).putInt(numberAt, number++);
      assertThat(dispatcher.tryCall(shown[which], length, reply)).as("answered at once").isFalse();
      dispatcher.pass(shown[which], length, reply);
    }

    /// Measures the memory.
    ///
    /// @return the allocated bytes per call
    double cost(String what, double most) throws Exception {
      long allocated = AllocatedBytes.settled((long) (most * CALLS), this::calls);
      System.out.printf("%s: %d ns, %d bytes a call%n", what, nanos / CALLS, allocated / CALLS);
      return (double) allocated / CALLS;
    }

    private void calls() {
      long start = CpuTime.ofThisThread();
      for (int i = 0; i < CALLS; i++) {
        call(i & 1);
        if (i >= CALLS - 2) {
          byte[] bytes = reply.toBytes();
          assertThat(ByteBuffer.wrap(bytes).getInt(RpcTestCalls.RESULTS_AT)).isZero();
        }
        reply.clear();
      }
      nanos = CpuTime.ofThisThread() - start;
    }
  }

  @Test
  void nfs3TakesLittleMemory() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      Consumer<XdrWriter> name = w -> Nfs3Client.where(w, rig.top, "name");
      Consumer<XdrWriter> makes =
          w -> {
            name.accept(w);
            w.int32(1); // GUARDED
            Nfs3Client.sattr(w, 0644);
          };
      byte[] create = Nfs3Client.record(1, Nfs3Procedure.CREATE, makes);
      byte[] remove = Nfs3Client.record(1, Nfs3Procedure.REMOVE, name);
      Undoing calls = new Undoing(rig.nfs, create, remove, 0, 1);
      assertThat(calls.cost("CREATE, REMOVE by NFSv3", MOST_BYTES_3))
          .isLessThanOrEqualTo(MOST_BYTES_3);
    }
  }

  @Test
  void nfs4TakesLittleMemory() throws Exception {
    try (Nfs4Rig rig = new Nfs4Rig();
        Nfs4Stream stream = new Nfs4Stream(rig)) {
      Op here = Nfs4TestClient.putFh(stream.client.handle("srv", "data"));
      Op makes = Nfs4TestClient.mkdir("name", 0755);
      byte[] create = stream.record(1, 9, 0x7777_7777, here, makes);
      byte[] remove =
          stream.record(1, 9, 0x7777_7777, here, Nfs4TestClient.named(Nfs4Op.REMOVE, "name"));
      int at = 0;
      while (ByteBuffer.wrap(create).getInt(4 + at) != 0x7777_7777) {
        at += 4;
      }
      Undoing calls = new Undoing(rig.program, create, remove, at, 1);
      assertThat(calls.cost("CREATE, REMOVE by NFSv4.1", MOST_BYTES_4))
          .isLessThanOrEqualTo(MOST_BYTES_4);
    }
  }

  /// Sends a round of records and reads the replies.
  private static void round(RpcTestClient client, IntFunction<byte[]> record) throws IOException {
    int bytes = 0;
    List<byte[]> all = new ArrayList<>();
    for (int i = 0; i < IN_FLIGHT; i++) {
      byte[] one = record.apply(i);
      all.add(one);
      bytes += one.length;
    }
    byte[] together = new byte[bytes];
    int at = 0;
    for (byte[] one : all) {
      System.arraycopy(one, 0, together, at, one.length);
      at += one.length;
    }
    client.send(together);
    for (int i = 0; i < IN_FLIGHT; i++) {
      byte[] reply = client.receive();
      assertThat(new Wire(reply, RpcTestCalls.RESULTS_AT).u32()).isZero();
    }
  }

  private void begin(CrashDevice device) {
    begunFlushes = device.flushes();
    begunNanos = System.nanoTime();
    begunBytes = AllocatedBytes.ofAll();
    begunCpu = CpuTime.ofAll();
  }

  private void end(String what, CrashDevice device) {
    int calls = ROUNDS * 2 * IN_FLIGHT;
    long cpu = CpuTime.ofAll() - begunCpu;
    long bytes = AllocatedBytes.ofAll() - begunBytes;
    long nanos = System.nanoTime() - begunNanos;
    int flushes = device.flushes() - begunFlushes;
    System.out.printf(
        "%s: %,d ns of processor, %,d bytes, %,d ns a call; %.3f flushes a call%n",
        what, cpu / calls, bytes / calls, nanos / calls, (double) flushes / calls);
    assertThat(flushes).as("flushes, for %d calls", calls).isLessThan(calls / 4);
  }

  @Test
  void nfs4() throws Exception {
    try (Nfs4Rig rig = new Nfs4Rig();
        Nfs4Stream stream = new Nfs4Stream(rig);
        RpcTestClient client = new RpcTestClient(stream.server.server().port())) {
      Op here = Nfs4TestClient.putFh(stream.client.handle("srv", "data"));
      Op handle = Nfs4TestClient.plain(Nfs4Op.GETFH);
      Op attributes =
          Nfs4TestClient.getAttr(1, 3, 4, 8, 20, 33, 35, 36, 37, 41, 45, 47, 52, 53, 55);
      int sequence = 1;
      for (int part = 0; part < 3; part++) {
        begin(rig.device);
        for (int round = 0; round < ROUNDS; round++, sequence += 2) {
          int now = sequence;
          round(
              client,
              i -> {
                Op makes = Nfs4TestClient.mkdir("d" + i, 0755);
                return stream.record(i, i, now(stream, i, now), here, makes, handle, attributes);
              });
          round(
              client,
              i ->
                  stream.record(
                      i,
                      i,
                      now(stream, i, now + 1),
                      here,
                      Nfs4TestClient.named(Nfs4Op.REMOVE, "d" + i)));
        }
        end("NFSv4.1: CREATE, REMOVE", rig.device);
      }
    }
  }

  /// Returns the sequence number of a slot that the session has used before.
  private static int now(Nfs4Stream stream, int slot, int sequence) {
    return stream.client.sequences[slot] + sequence;
  }

  @Test
  void nfs3() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      try (RpcServer server = RpcServerRig.serve(false, rig.nfs);
          RpcTestClient client = new RpcTestClient(server.server().port())) {
        int xid = 1;
        for (int part = 0; part < 3; part++) {
          begin(rig.device);
          for (int round = 0; round < ROUNDS; round++, xid += 2 * IN_FLIGHT) {
            int from = xid;
            round(
                client,
                i -> Nfs3Client.record(from + i, Nfs3Procedure.MKDIR, makes(rig.top, "d" + i)));
            round(
                client,
                i ->
                    Nfs3Client.record(
                        from + IN_FLIGHT + i,
                        Nfs3Procedure.RMDIR,
                        w -> Nfs3Client.where(w, rig.top, "d" + i)));
          }
          end("NFSv3: MKDIR, RMDIR", rig.device);
        }
      }
    }
  }

  private static Consumer<XdrWriter> makes(byte[] directory, String name) {
    return w -> {
      Nfs3Client.where(w, directory, name);
      Nfs3Client.sattr(w, 0755);
    };
  }
}
