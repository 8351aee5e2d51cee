package sluice.nfs.server;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.datagrams.DatagramPorts;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.nfs.NfsConfig;
import sluice.nfs.NfsExport;
import sluice.nfs.export.Export;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.rpc.Portmapper;
import sluice.nfs.rpc.RpcProgram;
import sluice.nfs.rpc.RpcServer;
import sluice.nfs.v3.MountProgram;
import sluice.nfs.v3.Nfs3Program;
import sluice.nfs.v4.Nfs4Program;

/// A server that exports file trees by MOUNT, NFSv3 and NFSv4.1 over TCP and UDP on the same port,
/// and that includes a portmapper. This class is thread-safe.
///
/// A server is listening when it has been started, and it can be drained or closed once. The caller
/// owns the trees and must close them after the server.
public final class NfsServer implements AutoCloseable {
  private static final int PORTMAPPER_PORT = 111;

  private final RpcServer rpc;
  private final Exports exports;
  private final List<String> remarks;
  private final AtomicBoolean closed = new AtomicBoolean();

  private NfsServer(RpcServer rpc, Exports exports, List<String> remarks) {
    this.rpc = rpc;
    this.exports = exports;
    this.remarks = remarks;
  }

  /// Starts a server. This method returns when all addresses are bound.
  ///
  /// @throws IOException if an address cannot be bound, the backend is not available, or an
  ///   exported directory does not exist; everything that was already opened is closed in this case
  public static NfsServer start(NfsConfig config) throws IOException {
    Exports exports = new Exports();
    try {
      for (NfsExport each : config.exports()) {
        exports.add(each.path(), each.tree(), each.directory(), each.options());
      }
      return start(config, exports);
    } catch (IOException | RuntimeException e) {
      exports.close();
      throw e;
    }
  }

  private static NfsServer start(NfsConfig config, Exports exports) throws IOException {
    FileHandles handles = new FileHandles(exports);
    Portmapper portmapper = new Portmapper();
    List<RpcProgram> programs = new ArrayList<>();
    programs.add(portmapper);
    programs.add(new MountProgram(exports, handles));
    long writeVerifier = new SecureRandom().nextLong();
    programs.add(new Nfs3Program(exports, handles, writeVerifier));
    programs.add(new Nfs4Program(exports, handles, writeVerifier));
    List<String> remarks = new ArrayList<>(exports.warnings());
    ServerConfig server = config.server();
    if (config.portmap()) {
      boolean kernelDatagrams =
          config.datagrams() && config.datagramPorts() == DatagramPorts.KERNEL;
      server = withPortmapper(server, kernelDatagrams, remarks);
    }
    RpcServer.Options options =
        new RpcServer.Options(
            programs,
            config.limits(),
            host -> allows(exports, host),
            config.datagrams(),
            config.datagramPorts());
    RpcServer rpc = RpcServer.start(server, options);
    register(rpc, portmapper, programs);
    if (config.datagrams() && rpc.datagramAddresses().isEmpty()) {
      remarks.add("UDP is not served: the engine of backend jdk has no descriptors");
    }
    return new NfsServer(rpc, exports, remarks);
  }

  /// Returns true if a client may use at least one export. Connections from other clients are
  /// closed.
  private static boolean allows(Exports exports, InetAddress host) {
    for (Export export : exports.list()) {
      if (export.allows(host)) {
        return true;
      }
    }
    return false;
  }

  /// Adds port 111 of each address, provided that it can be bound.
  private static ServerConfig withPortmapper(
      ServerConfig config, boolean datagrams, List<String> remarks) {
    Set<SocketAddress> all = new LinkedHashSet<>(config.addresses());
    for (SocketAddress each : config.addresses()) {
      if (each instanceof InetSocketAddress inet) {
        InetSocketAddress wanted = new InetSocketAddress(inet.getAddress(), PORTMAPPER_PORT);
        try {
          probe(wanted, datagrams);
          all.add(wanted);
        } catch (IOException e) {
          remarks.add(
              "the portmapper is on port "
                  + inet.getPort()
                  + " only. Why: port 111: "
                  + e.getMessage()
                  + ". Fix: mount with -o port=N,mountport=N, which needs none, or stop the other"
                  + " one (rpcbind)");
        }
      }
    }
    return config.withAddresses(List.copyOf(all));
  }

  private static void probe(InetSocketAddress address, boolean datagrams) throws IOException {
    try (ServerSocket stream = new ServerSocket()) {
      stream.setReuseAddress(true);
      stream.bind(address);
    }
    if (datagrams) {
      new DatagramSocket(address).close();
    }
  }

  private static void register(RpcServer rpc, Portmapper portmapper, List<RpcProgram> programs) {
    List<InetSocketAddress> streams = new ArrayList<>();
    for (SocketAddress each : rpc.server().addresses()) {
      if (each instanceof InetSocketAddress inet) {
        streams.add(inet);
      }
    }
    for (RpcProgram program : programs) {
      boolean mapper = program == portmapper;
      register(portmapper, program, Portmapper.TCP, streams, mapper);
      if (!(program instanceof Nfs4Program)) { // NFSv4 needs a stream
        register(portmapper, program, Portmapper.UDP, rpc.datagramAddresses(), mapper);
      }
    }
  }

  private static void register(
      Portmapper portmapper,
      RpcProgram program,
      int protocol,
      List<InetSocketAddress> at,
      boolean mapper) {
    boolean known = mapper && at.stream().anyMatch(a -> a.getPort() == PORTMAPPER_PORT);
    for (InetSocketAddress address : at) {
      if ((address.getPort() == PORTMAPPER_PORT) == known) {
        portmapper.register(program, protocol, address.getPort());
      }
    }
  }

  /// Returns the TCP server with its loops and addresses.
  public Server server() {
    return rpc.server();
  }

  /// Returns the port of the first address of this server.
  public int port() {
    return rpc.server().port();
  }

  /// Returns true if UDP is served.
  public boolean datagrams() {
    return !rpc.datagramAddresses().isEmpty();
  }

  /// Returns notes about behavior that differs from the configuration. Each note is one sentence.
  public List<String> remarks() {
    return List.copyOf(remarks);
  }

  /// Publishes the server's counters.
  public void publishTo(CounterPublisher into) {
    rpc.publishTo(into);
  }

  /// Stops accepting calls, answers the calls in progress, and closes the server. All changes that
  /// were reported as stable have been written to the devices. The trees remain open.
  ///
  /// @return true if all calls were answered before the timeout
  /// @throws IOException if the server's own files in a tree cannot be written
  public boolean drain(Duration timeout) throws IOException {
    boolean all = rpc.drain(timeout);
    closeExports();
    return all;
  }

  private void closeExports() throws IOException {
    if (closed.compareAndSet(false, true)) {
      exports.close();
    }
  }

  /// Closes the server immediately, without answering the calls in progress.
  @Override
  public void close() throws IOException {
    rpc.close();
    closeExports();
  }
}
