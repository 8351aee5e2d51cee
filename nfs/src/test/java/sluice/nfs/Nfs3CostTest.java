package sluice.nfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.Account;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// What a call costs that is answered on the loop's thread: memory is bounded by the test, time is
/// only printed.
@Timeout(120)
final class Nfs3CostTest {
  private static final int CALLS = 200_000;

  private final Nfs3Rig rig = Nfs3Rig.journaled();
  private final byte[] file = rig.root.create(rig.top, "file");

  Nfs3CostTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    rig.close();
  }

  /// @return bytes allocated per call
  private double cost(Nfs3Procedure procedure, Consumer<XdrWriter> arguments)
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
      int answered = 0;
      long before = 0;
      long start = 0;
      for (int i = -CALLS; i < CALLS; i++) {
        if (i == 0) {
          before = ThreadUse.taken("AllocatedBytes");
          start = ThreadUse.taken("CpuTime");
        }
        int how = dispatcher.now(call, reader.open(shown, 0, bytes.length), writer);
        answered += how == RpcDispatcher.ANSWERED && i >= 0 ? 1 : 0;
        writer.clear();
      }
      long nanos = ThreadUse.taken("CpuTime") - start;
      double allocated = (double) (ThreadUse.taken("AllocatedBytes") - before) / CALLS;
      System.out.printf("%s: %d ns, %.2f bytes a call%n", procedure, nanos / CALLS, allocated);
      assertThat(answered).isEqualTo(CALLS);
      return allocated;
    }
  }

  @Test
  void whatIsAskedMostTakesNoMemory() throws Exception {
    rig.root.calls.as(0, 0);
    rig.root.chmod(rig.top, 0755);
    assertThat(cost(Nfs3Procedure.GETATTR, w -> w.opaque(file))).isLessThan(1);
    assertThat(cost(Nfs3Procedure.ACCESS, w -> w.opaque(file).int32(0x3F))).isLessThan(1);
    assertThat(cost(Nfs3Procedure.FSINFO, w -> w.opaque(file))).isLessThan(1);
    assertThat(cost(Nfs3Procedure.PATHCONF, w -> w.opaque(file))).isLessThan(1);
    rig.root.write(file, 0, "x".repeat(100_000));
    rig.root.read(file, 0, 100_000);
    assertThat(cost(Nfs3Procedure.LOOKUP, w -> Nfs3Client.where(w, rig.top, "file")))
        .isLessThan(64); // the name
    assertThat(cost(Nfs3Procedure.READ, w -> w.opaque(file).int64(0).int32(32768)))
        .isLessThan(400); // 32 blocks of 1 KB, in an array
  }
}
