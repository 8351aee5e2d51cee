package sluice.nfs.rpc;

import java.net.InetAddress;
import java.util.List;
import sluice.memory.View;

/// A dispatcher for one client and one message after another, for tests that measure the cost of a
/// call. Confined to the thread that created it.
public final class TestDispatcher {
  private final RpcDispatcher dispatcher;
  private final RpcCall header = new RpcCall();
  private final XdrReader reader = new XdrReader();
  private final XdrReader copied = new XdrReader();

  public TestDispatcher(RpcProgram... programs) {
    dispatcher = new RpcDispatcher(List.of(programs));
    header.from(new RpcConnection(1, InetAddress.getLoopbackAddress(), 700, false), 700);
  }

  /// Passes a message to its program, as the loop's thread does.
  ///
  /// @return true if it was answered at once; otherwise the caller must [#pass] it
  public boolean tryCall(View message, int length, XdrWriter reply) {
    int how = dispatcher.tryCall(header, reader.open(message, 0, length), reply);
    if (how == RpcDispatcher.NOT_A_CALL) {
      throw new AssertionError("this was taken for no call");
    }
    return how == RpcDispatcher.ANSWERED;
  }

  /// Returns true if the last message is for the group commit queue.
  public boolean fitsGroupCommit() {
    return header.isForGroupCommit();
  }

  /// Runs the last message as a worker does, without waiting for the journal.
  public void pass(View message, int length, XdrWriter reply) {
    RpcCall call = header.copy(copied.open(message, 0, length));
    dispatcher.call(call, reply);
    dispatcher.stable(call, reply, null);
  }
}
