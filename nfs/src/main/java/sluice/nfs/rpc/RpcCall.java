package sluice.nfs.rpc;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;

/// What is known of a call beside its arguments. Owned by the thread that handles the call, for
/// which it does not change; the loop's thread uses one object for one call after another, so
/// [RpcProgram#tryCall] keeps none.
public final class RpcCall {
  /// The calls that one worker has done and not handed over yet, this one among them.
  interface Batch {
    /// Hands them over, also because the worker is about to wait for something.
    void handOver();
  }

  private static final int CHECKSUM_BYTES = 256;

  private int xid;
  private int version;
  private int procedure;
  private Credentials credentials = Credentials.NONE;
  private @Nullable RpcConnection connection;
  private int clientPort;
  private @Nullable RpcProgram program;
  private @Nullable XdrReader message;
  private int argumentsAt;
  private boolean forGroupCommit;
  private @Nullable Batch batch;
  private @Nullable StableReply stableReply;

  /// Names the sender of the messages that follow.
  void from(RpcConnection sender, int port) {
    connection = sender;
    clientPort = port;
  }

  /// Names what the header has said.
  void called(int toXid, RpcProgram toProgram, int toVersion, int toProcedure, Credentials by) {
    xid = toXid;
    program = toProgram;
    version = toVersion;
    procedure = toProcedure;
    credentials = by;
    forGroupCommit = false;
  }

  /// Says where the arguments are; the reader is in front of them.
  void arguments(XdrReader of) {
    message = of;
    argumentsAt = of.position();
  }

  /// The same call for another thread, with a reader of its own over a copy of the message.
  RpcCall copy(XdrReader copied) {
    RpcCall copy = new RpcCall();
    copy.xid = xid;
    copy.version = version;
    copy.procedure = procedure;
    copy.credentials = credentials;
    copy.connection = connection;
    copy.clientPort = clientPort;
    copy.program = program;
    copy.message = copied;
    copy.argumentsAt = argumentsAt;
    return copy;
  }

  int xid() {
    return xid;
  }

  public int version() {
    return version;
  }

  public int procedure() {
    return procedure;
  }

  public Credentials credentials() {
    return credentials;
  }

  public InetAddress client() {
    return connection().client();
  }

  int clientPort() {
    return clientPort;
  }

  public boolean datagram() {
    return connection().datagram();
  }

  /// Tells the connection the call came on from all others that the server has or had.
  public long connectionNumber() {
    return connection().number();
  }

  /// The connection the call came on: one for each address that sends datagrams.
  RpcConnection connection() {
    RpcConnection sender = connection;
    if (sender == null) {
      throw new IllegalStateException("no caller is known");
    }
    return sender;
  }

  /// A sum over the first 256 bytes of the arguments and their length: together with client and xid
  /// it tells a repeated call from a new one.
  public int checksum() {
    XdrReader from = reader();
    int before = from.position();
    from.position(argumentsAt);
    int sum = from.checksum(CHECKSUM_BYTES);
    from.position(before);
    return sum;
  }

  // ---- the worker that does it, and what its reply waits for
  // -------------------------------------

  /// Sends a call that is passed to the workers through the [GroupCommitQueue]: it changes a
  /// little, and mostly waits for nothing but the journal. On the loop's thread.
  public void forGroupCommit() {
    forGroupCommit = true;
  }

  boolean isForGroupCommit() {
    return forGroupCommit;
  }

  /// Lets the reply wait until a change is stable, while the worker goes on with other calls.
  ///
  /// @param then runs before the reply is sent, and may change it, but reads no arguments
  public void replyWhenStable(FileTree tree, long point, FileTree.StableListener then) {
    stableReply = new StableReply(tree, point, then);
  }

  /// Says that the worker is about to wait for another call, or for long: no thread may wait for
  /// those that it has done.
  public void beforeWaiting() {
    if (batch != null) {
      batch.handOver();
    }
  }

  void inBatch(Batch of) {
    batch = of;
  }

  @Nullable StableReply stableReply() {
    return stableReply;
  }

  // ---- for the dispatcher ---------------------------------------------------------------------

  RpcProgram program() {
    RpcProgram called = program;
    if (called == null) {
      throw new IllegalStateException("nothing has been called");
    }
    return called;
  }

  /// The message, in front of the arguments.
  XdrReader rewound() {
    XdrReader from = reader();
    from.position(argumentsAt);
    return from;
  }

  private XdrReader reader() {
    XdrReader from = message;
    if (from == null) {
      throw new IllegalStateException("nothing has been called");
    }
    return from;
  }
}
