package sluice.nfs.rpc;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;

/// The header of a call. Owned by the thread that handles the call, and constant during that time.
/// The loop's thread uses one object for all calls, so [RpcProgram#tryCall] must not keep it.
public final class RpcCall {
  /// The calls that one worker has completed and not yet handed over, including this one.
  interface Batch {
    /// Hands the calls over, also because the worker is about to wait for something.
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

  /// Sets the sender of the following messages.
  void from(RpcConnection sender, int port) {
    connection = sender;
    clientPort = port;
  }

  /// Sets the fields of the call header.
  void called(int toXid, RpcProgram toProgram, int toVersion, int toProcedure, Credentials by) {
    xid = toXid;
    program = toProgram;
    version = toVersion;
    procedure = toProcedure;
    credentials = by;
    forGroupCommit = false;
  }

  /// Sets the reader of the message, which is positioned at the arguments.
  void arguments(XdrReader of) {
    message = of;
    argumentsAt = of.position();
  }

  /// Returns a copy for another thread, with a reader of its own over a copy of the message.
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

  /// Returns the number of the connection, which is unique during the life of the server.
  public long connectionNumber() {
    return connection().number();
  }

  /// Returns the connection of the call. Datagrams of one address share a connection.
  RpcConnection connection() {
    RpcConnection sender = connection;
    if (sender == null) {
      throw new IllegalStateException("no caller is known");
    }
    return sender;
  }

  /// Returns a checksum of the length and the first 256 bytes of the arguments. Together with
  /// client and xid it distinguishes a retransmission from a new call.
  public int checksum() {
    XdrReader from = reader();
    int before = from.position();
    from.position(argumentsAt);
    int sum = from.checksum(CHECKSUM_BYTES);
    from.position(before);
    return sum;
  }

  // ---- the worker and the stability of the reply -----------------------------------------------

  /// Marks a call for the [GroupCommitQueue], if it is passed to a worker. Such a call makes a
  /// small change and mostly waits for the journal only. Called on the loop's thread.
  public void forGroupCommit() {
    forGroupCommit = true;
  }

  boolean isForGroupCommit() {
    return forGroupCommit;
  }

  /// Delays the reply until a change is stable. Meanwhile the worker runs other calls.
  ///
  /// @param then runs before the reply is sent; it may change the reply but not read the arguments
  public void replyWhenStable(FileTree tree, long point, FileTree.StableListener then) {
    stableReply = new StableReply(tree, point, then);
  }

  /// Announces that the worker is about to wait for another call or for a long time. The worker's
  /// completed calls are handed over, so that no thread waits for them.
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

  /// Returns the message, positioned at the arguments.
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
