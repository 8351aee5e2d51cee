package sluice.nfs.rpc;

import java.net.InetAddress;
import java.util.List;
import sluice.memory.View;

/// A dispatcher with nothing around it: one message after another, from one client, for tests that
/// measure what a call costs. Of the thread that made it.
public final class TestDispatcher {
  private final RpcDispatcher dispatcher;
  private final RpcCall header = new RpcCall();
  private final XdrReader reader = new XdrReader();
  private final XdrReader copied = new XdrReader();

  public TestDispatcher(RpcProgram... programs) {
    dispatcher = new RpcDispatcher(List.of(programs));
    header.from(new RpcConnection(1, InetAddress.getLoopbackAddress(), 700, false), 700);
  }

  /// Shows a message to its program, as the loop's thread does.
  ///
  /// @return whether it was answered at once; else it is to be [#pass]ed
  public boolean tryCall(View message, int length, XdrWriter reply) {
    int how = dispatcher.tryCall(header, reader.open(message, 0, length), reply);
    if (how == RpcDispatcher.NOT_A_CALL) {
      throw new AssertionError("this was taken for no call");
    }
    return how == RpcDispatcher.ANSWERED;
  }

  /// Whether the message that was shown last is for the group commit queue.
  public boolean fitsGroupCommit() {
    return header.isForGroupCommit();
  }

  /// Has the message that was shown last answered, as a worker does; nothing waits for the journal.
  public void pass(View message, int length, XdrWriter reply) {
    RpcCall call = header.copy(copied.open(message, 0, length));
    dispatcher.call(call, reply);
    dispatcher.stable(call, reply, null);
  }
}
