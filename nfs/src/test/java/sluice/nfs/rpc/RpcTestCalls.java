package sluice.nfs.rpc;

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

/// Calls programs without a network: encodes a call, lets the program answer at once or, if it
/// passes, as a worker, and returns the reply. Confined to the thread that created it.
public final class RpcTestCalls implements AutoCloseable {
  /// The maximum length of a message or reply.
  public static final int MOST_BYTES = (1 << 20) + (64 << 10);

  /// The position of the results in an accepted reply.
  public static final int RESULTS_AT = RpcDispatcher.REPLY_HEADER_BYTES;

  /// The reply to one call.
  public static final class Reply {
    private final byte[] bytes;
    private final boolean fast;

    private Reply(byte[] bytes, boolean fast) {
      this.bytes = bytes;
      this.fast = fast;
    }

    /// Returns the whole reply including its header. The caller must not change it.
    public byte[] bytes() {
      return bytes;
    }

    /// Returns true if the call was answered at once.
    public boolean fast() {
      return fast;
    }

    /// Returns the `accept_stat`, or -1 - `reject_stat`.
    public int status() {
      XdrReader from = reader(bytes, 0);
      from.skip(8);
      if (from.int32() != 0) {
        return -1 - from.int32();
      }
      from.skip(8);
      return from.int32();
    }

    /// Returns a reader of the results of a successful reply.
    public XdrReader results() {
      if (status() != 0) {
        throw new AssertionError("the call was not accepted: " + status());
      }
      return reader(bytes, RESULTS_AT);
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

  public RpcTestCalls(RpcProgram... programs) {
    dispatcher = new RpcDispatcher(List.of(programs));
    slowDispatcher =
        new RpcDispatcher(Arrays.stream(programs).<RpcProgram>map(Passing::new).toList());
  }

  /// Returns AUTH_SYS credentials.
  public static Credentials user(int uid, int gid, String machine, int... groups) {
    return Credentials.sys(uid, gid, machine, groups);
  }

  /// Returns the AUTH_NONE credentials.
  public static Credentials nobody() {
    return Credentials.NONE;
  }

  /// Writes the credentials and an empty verifier.
  public static void credentials(XdrWriter to, int uid, int gid, String machine, int... groups) {
    Credentials.sys(uid, gid, machine, groups).encode(to);
    Credentials.NONE.encode(to);
  }

  /// Makes the following calls with other credentials.
  RpcTestCalls as(Credentials by) {
    credentials = by;
    return this;
  }

  public RpcTestCalls as(int uid, int gid, int... groups) {
    return as(Credentials.sys(uid, gid, "test", groups));
  }

  /// Makes the following calls on another connection.
  ///
  /// @param number a number that no other connection of the test has
  public RpcTestCalls from(long number, InetAddress client, int port) {
    connection = new RpcConnection(number, client, port, false);
    return this;
  }

  /// Makes the following calls over a network.
  ///
  /// @param exchange sends a message and returns the reply
  public RpcTestCalls over(UnaryOperator<byte[]> exchange) {
    network = exchange;
    return this;
  }

  /// Sets the xid of the next call; it is incremented by each call.
  public RpcTestCalls xid(int next) {
    xid = next;
    return this;
  }

  /// Lets only workers answer the following calls.
  public RpcTestCalls slowly(boolean value) {
    slowly = value;
    return this;
  }

  public Reply call(int program, int version, int procedure) {
    return call(program, version, procedure, arguments -> {});
  }

  public Reply call(int program, int version, int procedure, Consumer<XdrWriter> arguments) {
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

  /// Handles arbitrary bytes as a message.
  ///
  /// @return null if they are no call
  public @Nullable Reply send(byte[] message) {
    if (network != null) {
      return new Reply(network.apply(message), false);
    }
    XdrWriter results = new XdrWriter(MOST_BYTES);
    try (MessageBuffer kept = buffer(message)) {
      ViewBinder binder = new ViewBinder(Thread.currentThread());
      RpcCall call = new RpcCall();
      call.from(connection, connection.clientPort());
      XdrReader shown = new XdrReader().open(kept.show(binder), 0, message.length);
      int how = (slowly ? slowDispatcher : dispatcher).tryCall(call, shown, results);
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

  /// Waits for stability, which [GroupCommitBatch] does without waiting.
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

  /// Returns a view of an array for the calling thread.
  public static View view(byte[] bytes) {
    return new ViewBinder(Thread.currentThread())
        .bind(MemorySegment.ofArray(bytes), 0, bytes.length);
  }

  /// Returns a reader of an array.
  public static XdrReader reader(byte[] bytes, int from) {
    return new XdrReader().open(view(bytes), from, bytes.length - from);
  }

  /// Checks that all memory was released.
  @Override
  public void close() {
    if (account.usedBytes() != 0) {
      throw new AssertionError("memory was not given back: " + account);
    }
  }
}
