package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.View;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.TestDispatcher;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.Nfs4TestClient.Opened;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.testbase.AllocatedBytes;
import sluice.testbase.CpuTime;

/// Measures the cost of COMPOUNDs answered on the loop's thread: the memory is checked, the time is
/// only printed.
@Timeout(600)
final class Nfs4CostTest {
  private static final int CALLS = 100_000;

  /// The position of the sequence number: after tag, minor version, count, operation number and
  /// session ID.
  private static final int SEQUENCE_AT = 4 + 4 + 4 + 4 + 16;

  /// The attributes that Linux requests to fill an inode.
  private static final int[] INODE = {1, 3, 4, 8, 20, 33, 35, 36, 37, 41, 45, 47, 52, 53, 55};

  /// The CPU time of the last measured calls.
  private long nanos;

  private final Nfs4Rig rig = new Nfs4Rig();
  private final Nfs4TestClient client = rig.client("cost");
  private final byte[] data = client.handle("srv", "data");
  private final Opened file =
      client.open(data, Nfs4TestClient.open("o", 3, 0, Nfs4TestClient.unchecked(0644), "file"));

  Nfs4CostTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    rig.close();
  }

  /// Measures the memory.
  ///
  /// @param most the expected maximum per call; the measurement is repeated until it is reached
  /// @return the allocated bytes per call
  private double cost(String name, int slot, double most, Op... ops) throws Exception {
    XdrWriter to = new XdrWriter(RpcTestCalls.MOST_BYTES);
    to.int32(1).int32(0).int32(2).int32(100_003).int32(4).int32(1);
    RpcTestCalls.credentials(to, 7, 7, "machine", 1, 2, 3);
    int sequenceAt = to.position() + SEQUENCE_AT;
    to.opaque(new byte[0]).int32(1).int32(1 + ops.length);
    client.cache = false;
    client.sequence(slot, 0).write(to);
    for (Op op : ops) {
      op.write(to);
    }
    byte[] bytes = to.toBytes();
    ByteBuffer patched = ByteBuffer.wrap(bytes);
    View shown = RpcTestCalls.view(bytes);
    TestDispatcher dispatcher = new TestDispatcher(rig.program);
    XdrWriter writer = new XdrWriter(RpcTestCalls.MOST_BYTES);
    int[] sequence = new int[1];
    long allocated =
        AllocatedBytes.settled(
            (long) (most * CALLS),
            () -> {
              long start = CpuTime.ofThisThread();
              for (int i = 0; i < CALLS; i++) {
                patched.putInt(sequenceAt, ++sequence[0]);
                if (!dispatcher.tryCall(shown, bytes.length, writer)) {
                  throw new AssertionError("not answered at once");
                }
                if (i == CALLS - 1) {
                  byte[] reply = writer.toBytes();
                  assertThat(ByteBuffer.wrap(reply).getInt(RpcTestCalls.RESULTS_AT)).isZero();
                }
                writer.clear();
              }
              nanos = CpuTime.ofThisThread() - start;
            });
    double each = (double) allocated / CALLS;
    System.out.printf("%s: %d ns, %.2f bytes a call%n", name, nanos / CALLS, each);
    return each;
  }

  private void assertCost(String name, int slot, double most, Op... ops) throws Exception {
    assertThat(cost(name, slot, most, ops)).as(name).isLessThanOrEqualTo(most);
  }

  @Test
  void whatIsAskedMostTakesLittleMemory() throws Exception {
    client.statusOn(file.handle(), Nfs4TestClient.write(file.id(), 0, 2, new byte[100_000]));
    client.content(file.handle(), file.id(), 0, 100_000);
    Op put = Nfs4TestClient.putFh(file.handle());
    Op attributes = Nfs4TestClient.getAttr(INODE);
    Op access = to -> to.int32(Nfs4Op.ACCESS).int32(0x3F);
    assertCost("SEQUENCE, PUTFH, GETATTR", 1, 100, put, attributes);
    assertCost("SEQUENCE, PUTFH, ACCESS, GETATTR", 2, 100, put, access, attributes);
    Op read = Nfs4TestClient.read(file.id(), 0, 32768);
    assertCost("SEQUENCE, PUTFH, READ of 32 KB", 3, 400, put, read);
    Op putDirectory = Nfs4TestClient.putFh(data);
    Op lookup = Nfs4TestClient.lookup("file");
    Op handle = Nfs4TestClient.plain(Nfs4Op.GETFH);
    assertCost("SEQUENCE, PUTFH, LOOKUP, GETFH", 4, 200, putDirectory, lookup, handle);
  }
}
