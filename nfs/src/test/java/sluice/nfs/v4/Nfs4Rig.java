package sluice.nfs.v4;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import sluice.fs.FileTree;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.nfs.CrashDevice;
import sluice.nfs.ExportOptions;
import sluice.nfs.Squash;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.rpc.ForwardedProgram;
import sluice.nfs.rpc.RpcCall;
import sluice.nfs.rpc.RpcProgram;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v3.Nfs3Rig;

/// An NFSv4.1 server over an image in memory, without a network and with its own clock. Confined to
/// the test's thread; clients may be passed to other threads.
public final class Nfs4Rig implements AutoCloseable {
  public CrashDevice device;
  final AtomicLong nanos = new AtomicLong(1_000_000_000_000L);
  public Ext2 tree;
  Exports exports;
  public Nfs4Program program;
  private final Nfs4Limits limits;
  private final ExportOptions options;
  private final UnaryOperator<FileTree> seen;
  private final List<RpcTestCalls> calls = new ArrayList<>();
  private long writeVerifier;

  public Nfs4Rig() throws IOException {
    this(Nfs4Limits.defaults(), ExportOptions.defaults().withSquash(Squash.NONE));
  }

  Nfs4Rig(Nfs4Limits limits, ExportOptions options) throws IOException {
    this(limits, options, seen -> seen);
  }

  /// Creates a server.
  ///
  /// @param seen a wrapper around the tree of the server
  public Nfs4Rig(UnaryOperator<FileTree> seen) throws IOException {
    this(Nfs4Limits.defaults(), ExportOptions.defaults().withSquash(Squash.NONE), seen);
  }

  private Nfs4Rig(Nfs4Limits limits, ExportOptions options, UnaryOperator<FileTree> seen)
      throws IOException {
    this(limits, options, seen, Nfs3Rig.format(true));
  }

  /// Creates a server over an existing image.
  Nfs4Rig(CrashDevice device) throws IOException {
    this(
        Nfs4Limits.defaults(),
        ExportOptions.defaults().withSquash(Squash.NONE),
        seen -> seen,
        device);
  }

  private Nfs4Rig(
      Nfs4Limits limits, ExportOptions options, UnaryOperator<FileTree> seen, CrashDevice device)
      throws IOException {
    this.limits = limits;
    this.options = options;
    this.seen = seen;
    this.device = device;
    start();
  }

  private void start() throws IOException {
    tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(8 << 20));
    exports = new Exports();
    exports.add("/srv/data", seen.apply(tree), "/", options);
    writeVerifier++;
    FileHandles handles = new FileHandles(exports);
    StableClients stable = new StableClientsFile(exports.list().getFirst().exported());
    program = new Nfs4Program(exports, handles, writeVerifier, stable, limits, nanos::get);
  }

  /// Ends the server and starts another on the same image, without telling the clients.
  void restart() throws IOException {
    exports.close();
    tree.close();
    start();
  }

  /// Ends the server by a crash and starts another on the remaining image.
  ///
  /// @param left an earlier copy of [#device]
  void crash(CrashDevice left) throws IOException {
    exports.close();
    tree.close();
    device.close();
    device = left;
    start();
  }

  /// Advances the clock.
  void seconds(long count) {
    nanos.addAndGet(count * 1_000_000_000L);
  }

  /// Returns calls without a client record.
  RpcTestCalls calls() {
    RpcTestCalls made = new RpcTestCalls(new Running());
    synchronized (calls) {
      calls.add(made);
    }
    return made;
  }

  /// The currently running server.
  private final class Running implements ForwardedProgram {
    @Override
    public RpcProgram program() {
      return program;
    }

    @Override
    public boolean tryCall(RpcCall call, XdrReader arguments, XdrWriter results) {
      return program.tryCall(call, arguments, results);
    }
  }

  /// Returns a client with a session and nothing to reclaim.
  public Nfs4TestClient client(String owner) {
    Nfs4TestClient made = new Nfs4TestClient(calls(), owner);
    made.connect();
    made.reclaimComplete();
    return made;
  }

  @Override
  public void close() throws IOException {
    for (RpcTestCalls one : calls) {
      one.close();
    }
    exports.close();
    tree.close();
    device.close();
  }
}
