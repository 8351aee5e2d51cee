package sluice.nfs.rpc;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;

/// The header of a call. It is owned by the thread that processes the call and does not change
/// during that time. The loop's thread reuses one object for all calls, so [RpcProgram#tryCall]
/// must not retain it.
public final class RpcCall {
  /// The calls that one worker has completed but not yet submitted, including this call.
  interface Batch {
    /// Submits the completed calls, either because the batch is full or because the worker is about
    /// to wait.
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

  /// Sets the sender of the subsequent messages.
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

  /// Returns a copy for another thread, with its own reader over a copy of the message.
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

  /// Returns the number of the connection, which is unique during the lifetime of the server.
  public long connectionNumber() {
    return connection().number();
  }

  /// Returns the connection of the call. All datagrams from one address share a connection.
  RpcConnection connection() {
    RpcConnection sender = connection;
    if (sender == null) {
      throw new IllegalStateException("no caller is known");
    }
    return sender;
  }

  /// Returns a checksum of the length and the first 256 bytes of the arguments. Together with the
  /// client and the transaction ID, it distinguishes a retransmission from a new call.
  public int checksum() {
    XdrReader from = reader();
    int before = from.position();
    from.position(argumentsAt);
    int sum = from.checksum(CHECKSUM_BYTES);
    from.position(before);
    return sum;
  }

  // ---- the worker and the stability of the reply -----------------------------------------------

  /// Marks a call for the [GroupCommitQueue], which is used if the call is passed to a worker. A
  /// call should be marked if it makes a small change and spends most of its time waiting for the
  /// journal. This method is called on the loop's thread.
  public void forGroupCommit() {
    forGroupCommit = true;
  }

  boolean isForGroupCommit() {
    return forGroupCommit;
  }

  /// Delays the reply until a change is stable. In the meantime, the worker executes other calls.
  ///
  /// @param then is invoked before the reply is sent; it may change the reply but must not read the
  ///   arguments
  public void replyWhenStable(FileTree tree, long point, FileTree.StableListener then) {
    stableReply = new StableReply(tree, point, then);
  }

  /// Announces that the worker is about to wait for another call or for a long time. The calls that
  /// the worker has already completed are submitted, so that they are not delayed.
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
