package sluice.nfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.Account;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// What a call costs that is answered on the loop's thread: memory is bounded by the test, time is
/// only printed.
@Timeout(600)
final class Nfs3CostTest {
  private static final int CALLS = 100_000;

  /// How long the compiler may take until the calls leave no object behind that it can do without.
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Nfs3Rig rig = Nfs3Rig.journaled();
  private final byte[] file = rig.root.create(rig.top, "file");

  Nfs3CostTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    rig.close();
  }

  /// @param most bytes a call that are wanted: measured again and again until they are reached
  /// @return bytes allocated per call
  private double cost(Nfs3Procedure procedure, double most, Consumer<XdrWriter> arguments)
      throws ReflectiveOperationException {
    XdrWriter to = new XdrWriter(RpcTestCalls.MOST_BYTES);
    to.int32(1).int32(0).int32(2).int32(100003).int32(3).int32(procedure.number());
    Credentials.sys(7, 7, "machine", 1, 2, 3).encode(to);
    Credentials.NONE.encode(to);
    arguments.accept(to);
    byte[] bytes = to.toBytes();
    Account account = new Account("cost", 1 << 20);
    RpcDispatcher dispatcher = new RpcDispatcher(List.of(rig.mounts, rig.nfs));
    try (MessageBuffer kept =
        Objects.requireNonNull(MessageBuffer.allocate(account, bytes.length))) {
      kept.append(bytes);
      View shown = kept.show(new ViewBinder(Thread.currentThread()));
      RpcCall call = new RpcCall();
      call.from(new RpcConnection(1, InetAddress.getLoopbackAddress(), 700, false), 700);
      XdrReader reader = new XdrReader();
      XdrWriter writer = new XdrWriter(RpcTestCalls.MOST_BYTES);
      double allocated = Double.MAX_VALUE;
      long begin = System.nanoTime();
      while (allocated >= most && System.nanoTime() - begin < PATIENCE_NANOS) {
        int answered = 0;
        long before = ThreadUse.taken("AllocatedBytes");
        long start = ThreadUse.taken("CpuTime");
        for (int i = 0; i < CALLS; i++) {
          int how = dispatcher.now(call, reader.open(shown, 0, bytes.length), writer);
          answered += how == RpcDispatcher.ANSWERED ? 1 : 0;
          writer.clear();
        }
        long nanos = ThreadUse.taken("CpuTime") - start;
        allocated = (double) (ThreadUse.taken("AllocatedBytes") - before) / CALLS;
        System.out.printf("%s: %d ns, %.2f bytes a call%n", procedure, nanos / CALLS, allocated);
        assertThat(answered).isEqualTo(CALLS);
      }
      return allocated;
    }
  }

  private void assertCost(Nfs3Procedure procedure, double most, Consumer<XdrWriter> arguments)
      throws ReflectiveOperationException {
    assertThat(cost(procedure, most, arguments)).as(procedure.name()).isLessThan(most);
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
    assertCost(Nfs3Procedure.LOOKUP, 64, w -> Nfs3Client.where(w, rig.top, "file")); // the name
    // 32 blocks of 1 KB, in an array
    assertCost(Nfs3Procedure.READ, 400, w -> w.opaque(file).int64(0).int32(32768));
  }
}
