package sluice.nfs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// Calls programs without a network: encodes a call, lets the program answer at once or, when it
/// passes, as a worker, and gives back the reply. Of the thread that made it.
final class RpcTestCalls implements AutoCloseable {
  /// Bytes of a message or reply, at most.
  static final int MOST_BYTES = (1 << 20) + (64 << 10);

  /// The reply to one call.
  static final class Reply {
    private final byte[] bytes;
    private final boolean fast;

    private Reply(byte[] bytes, boolean fast) {
      this.bytes = bytes;
      this.fast = fast;
    }

    /// All of it, header included. Not to be changed.
    byte[] bytes() {
      return bytes;
    }

    /// Whether it was given at once.
    boolean fast() {
      return fast;
    }

    /// The `accept_stat`, or -1 - `reject_stat`.
    int status() {
      XdrReader from = reader(bytes, 0);
      from.skip(8);
      if (from.int32() != 0) {
        return -1 - from.int32();
      }
      from.skip(8);
      return from.int32();
    }

    /// What follows the header of a successful reply.
    XdrReader results() {
      if (status() != 0) {
        throw new AssertionError("the call was not accepted: " + status());
      }
      return reader(bytes, RpcDispatcher.REPLY_HEADER_BYTES);
    }
  }

  /// A program that never answers at once.
  private record Passing(RpcProgram program) implements ForwardedProgram {}

  private final RpcDispatcher dispatcher;
  private final RpcDispatcher slowDispatcher;
  private final Account account = new Account("test calls", 64 << 20);
  private RpcConnection connection =
      new RpcConnection(1, InetAddress.getLoopbackAddress(), 777, false);
  private Credentials credentials = Credentials.sys(0, 0, "test");
  private @Nullable UnaryOperator<byte[]> network;
  private boolean slowly;
  private int xid = 1000;

  RpcTestCalls(RpcProgram... programs) {
    dispatcher = new RpcDispatcher(List.of(programs));
    slowDispatcher =
        new RpcDispatcher(Arrays.stream(programs).<RpcProgram>map(Passing::new).toList());
  }

  /// From now on calls come from somebody else.
  RpcTestCalls as(Credentials by) {
    credentials = by;
    return this;
  }

  RpcTestCalls as(int uid, int gid, int... groups) {
    return as(Credentials.sys(uid, gid, "test", groups));
  }

  /// From now on calls come on another connection.
  RpcTestCalls from(RpcConnection sender) {
    connection = sender;
    return this;
  }

  /// From now on calls go over a network.
  ///
  /// @param exchange sends a message and gives back the reply
  RpcTestCalls over(UnaryOperator<byte[]> exchange) {
    network = exchange;
    return this;
  }

  /// The next call has this xid, the one after it one more.
  RpcTestCalls xid(int next) {
    xid = next;
    return this;
  }

  /// From now on programs are not asked whether they can answer at once.
  RpcTestCalls slowly(boolean value) {
    slowly = value;
    return this;
  }

  Reply call(int program, int version, int procedure) {
    return call(program, version, procedure, arguments -> {});
  }

  Reply call(int program, int version, int procedure, Consumer<XdrWriter> arguments) {
    XdrWriter to = new XdrWriter(MOST_BYTES);
    to.int32(xid++).int32(0).int32(2).int32(program).int32(version).int32(procedure);
    credentials.encode(to);
    Credentials.NONE.encode(to);
    arguments.accept(to);
    byte[] message = to.toBytes();
    to.clear();
    Reply reply = send(message);
    if (reply == null) {
      throw new AssertionError("this was taken for no call");
    }
    return reply;
  }

  /// Handles any bytes as a message.
  ///
  /// @return null when it is no call
  @Nullable Reply send(byte[] message) {
    if (network != null) {
      return new Reply(network.apply(message), false);
    }
    XdrWriter results = new XdrWriter(MOST_BYTES);
    try (MessageBuffer kept = buffer(message)) {
      ViewBinder binder = new ViewBinder(Thread.currentThread());
      RpcCall call = new RpcCall();
      call.from(connection, connection.clientPort());
      XdrReader shown = new XdrReader().open(kept.show(binder), 0, message.length);
      int how = (slowly ? slowDispatcher : dispatcher).now(call, shown, results);
      if (how == RpcDispatcher.NOT_A_CALL) {
        return null;
      }
      boolean fast = how == RpcDispatcher.ANSWERED;
      if (!fast) {
        XdrReader copied = new XdrReader();
        RpcCall passed = call.copy(kept.read(binder, copied));
        dispatcher.call(passed, results);
        copied.close();
        awaitStable(passed, results);
      }
      return new Reply(results.toBytes(), fast);
    } finally {
      results.clear();
    }
  }

  /// As [CallBatch] does, but for waiting.
  private void awaitStable(RpcCall passed, XdrWriter results) {
    StableReply waits = passed.stableReply();
    if (waits != null) {
      IOException failure = null;
      try {
        waits.tree().awaitStable(waits.point());
      } catch (IOException e) {
        failure = e;
      }
      dispatcher.stable(passed, results, failure);
    }
  }

  private MessageBuffer buffer(byte[] message) {
    MessageBuffer made = MessageBuffer.allocate(account, Math.max(1, message.length));
    if (made == null) {
      throw new AssertionError(account.toString());
    }
    made.append(message);
    return made;
  }

  /// A reader of an array.
  static XdrReader reader(byte[] bytes, int from) {
    View view =
        new ViewBinder(Thread.currentThread()).bind(MemorySegment.ofArray(bytes), 0, bytes.length);
    return new XdrReader().open(view, from, bytes.length - from);
  }

  /// All leases must have been given back by now.
  @Override
  public void close() {
    if (account.usedBytes() != 0) {
      throw new AssertionError("memory was not given back: " + account);
    }
  }
}
