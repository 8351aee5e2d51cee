package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.nfs.CrashDevice;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.TestDispatcher;
import sluice.nfs.rpc.Wire;
import sluice.nfs.rpc.XdrWriter;

/// Tests that a reply to READ, which leases blocks of the cache, has the content at the time of the
/// call: later writes, truncations and removals before the reply is sent do not change it.
@Timeout(120)
final class Nfs3SnapshotTest {
  private static final int BYTES = 64 << 10;

  private final Nfs3Rig rig = Nfs3Rig.over(formatted());
  private final byte[] file = rig.root.create(rig.top, "file");
  private final TestDispatcher dispatcher = new TestDispatcher(rig.nfs);

  Nfs3SnapshotTest() throws IOException {}

  /// Returns a device with blocks that are large enough to be leased.
  private static CrashDevice formatted() throws IOException {
    int bytes = 24 << 20;
    CrashDevice device = new CrashDevice(bytes);
    Ext2Format.format(device, FormatOptions.forDevice(bytes).withBlockBytes(4096), _ -> {});
    return device;
  }

  @AfterEach
  void close() throws IOException {
    rig.close();
  }

  private static byte[] all(int value) {
    byte[] bytes = new byte[BYTES];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /// Runs READ on the loop's thread.
  ///
  /// @return the unsent reply
  private XdrWriter asked() throws IOException {
    XdrWriter to = new XdrWriter(RpcTestCalls.MOST_BYTES);
    to.int32(1).int32(0).int32(2).int32(100003).int32(3).int32(Nfs3Procedure.READ.number());
    RpcTestCalls.credentials(to, 0, 0, "machine");
    to.opaque(file).int64(0).int32(BYTES);
    byte[] message = to.toBytes();
    XdrWriter reply = new XdrWriter(RpcTestCalls.MOST_BYTES);
    assertThat(dispatcher.tryCall(RpcTestCalls.view(message), message.length, reply)).isTrue();
    Arrays.fill(message, (byte) 0); // its memory is reused
    return reply;
  }

  private static byte[] content(XdrWriter reply) {
    Wire answer = new Wire(reply.toBytes(), RpcTestCalls.RESULTS_AT);
    assertThat(answer.u32()).isZero();
    answer.postOp();
    answer.u32();
    answer.bool();
    byte[] content = answer.opaque();
    answer.end();
    return content;
  }

  @Test
  void aReplyIsWhatTheFileWas() throws IOException {
    rig.root.write(file, 0, all(1), 0);
    rig.root.read(file, 0, BYTES);
    XdrWriter first = asked();
    assertThat(first.leasedBytes()).as("bytes that were not copied").isEqualTo(BYTES);
    rig.root.write(file, 0, all(2), 2);
    XdrWriter second = asked();
    rig.root.truncate(file, 100);
    XdrWriter third = asked();
    rig.root.write(file, 50, new byte[] {3, 3, 3}, 0);
    rig.root.remove(rig.top, "file");
    // The blocks belong to another file now.
    byte[] other = rig.root.create(rig.top, "other");
    rig.root.write(other, 0, all(4), 2);
    assertThat(content(first)).isEqualTo(all(1));
    assertThat(content(second)).isEqualTo(all(2));
    assertThat(content(third)).isEqualTo(Arrays.copyOf(all(2), 100));
    first.clear();
    second.clear();
    third.clear();
  }
}
