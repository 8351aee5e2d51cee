package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.View;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.TestDispatcher;
import sluice.nfs.rpc.XdrWriter;
import sluice.testbase.AllocatedBytes;
import sluice.testbase.CpuTime;

/// Measures the cost of calls answered on the loop's thread: the memory is checked, the time is
/// only printed.
@Timeout(600)
final class Nfs3CostTest {
  private static final int CALLS = 100_000;

  /// The CPU time of the last measured calls.
  private long nanos;

  private final Nfs3Rig rig = Nfs3Rig.journaled();
  private final byte[] file = rig.root.create(rig.top, "file");

  Nfs3CostTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    rig.close();
  }

  /// Measures the memory.
  ///
  /// @param most the expected maximum per call; the measurement is repeated until it is reached
  /// @return the allocated bytes per call
  private double cost(Nfs3Procedure procedure, double most, Consumer<XdrWriter> arguments)
      throws Exception {
    XdrWriter to = new XdrWriter(RpcTestCalls.MOST_BYTES);
    to.int32(1).int32(0).int32(2).int32(100003).int32(3).int32(procedure.number());
    RpcTestCalls.credentials(to, 7, 7, "machine", 1, 2, 3);
    arguments.accept(to);
    byte[] bytes = to.toBytes();
    TestDispatcher dispatcher = new TestDispatcher(rig.mounts, rig.nfs);
    View shown = RpcTestCalls.view(bytes);
    XdrWriter writer = new XdrWriter(RpcTestCalls.MOST_BYTES);
    long allocated =
        AllocatedBytes.settled(
            (long) (most * CALLS),
            () -> {
              long start = CpuTime.ofThisThread();
              for (int i = 0; i < CALLS; i++) {
                if (!dispatcher.tryCall(shown, bytes.length, writer)) {
                  throw new AssertionError("not answered at once");
                }
                writer.clear();
              }
              nanos = CpuTime.ofThisThread() - start;
            });
    double each = (double) allocated / CALLS;
    System.out.printf("%s: %d ns, %.2f bytes a call%n", procedure, nanos / CALLS, each);
    return each;
  }

  private void assertCost(Nfs3Procedure procedure, double most, Consumer<XdrWriter> arguments)
      throws Exception {
    assertThat(cost(procedure, most, arguments)).as(procedure.name()).isLessThanOrEqualTo(most);
  }

  @Test
  void whatIsAskedMostTakesNoMemory() throws Exception {
    rig.root.calls.as(0, 0);
    rig.root.chmod(rig.top, 0755);
    assertCost(Nfs3Procedure.GETATTR, 1, w -> w.opaque(file));
    assertCost(Nfs3Procedure.ACCESS, 1, w -> w.opaque(file).int32(0x3F));
    assertCost(Nfs3Procedure.FSINFO, 1, w -> w.opaque(file));
    assertCost(Nfs3Procedure.PATHCONF, 1, w -> w.opaque(file));
    rig.root.write(file, 0, "x".repeat(100_000));
    rig.root.read(file, 0, 100_000);
    // The bytes of the name.
    assertCost(Nfs3Procedure.LOOKUP, 64, w -> Nfs3Client.where(w, rig.top, "file"));
    // 32 blocks of 1 KB in an array.
    assertCost(Nfs3Procedure.READ, 400, w -> w.opaque(file).int64(0).int32(32768));
  }
}
