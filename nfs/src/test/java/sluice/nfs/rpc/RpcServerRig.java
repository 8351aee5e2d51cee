package sluice.nfs.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.function.ToLongFunction;
import sluice.loop.engine.Backend;
import sluice.loop.server.Engines;
import sluice.loop.server.ServerConfig;
import sluice.nfs.RpcLimits;

/// A server with an [RpcTestProgram]. When it ends, all resources must have been released. Confined
/// to the test's thread.
public final class RpcServerRig implements AutoCloseable {
  final RpcTestProgram program = new RpcTestProgram();
  final Portmapper portmapper = new Portmapper();
  final RpcServer server;

  RpcServerRig(Backend backend) throws IOException {
    this(backend, RpcLimits.DEFAULT);
  }

  RpcServerRig(Backend backend, RpcLimits limits) throws IOException {
    try {
      Engines.choose(backend);
    } catch (IOException e) {
      abort("no " + backend + " here: " + e.getMessage());
    }
    ServerConfig config = ServerConfig.onLoopback("rpc", 0).withBackend(backend);
    RpcServer.Options options =
        new RpcServer.Options(
            List.of(program, portmapper), limits, InetAddress::isLoopbackAddress, true);
    server = RpcServer.start(config, options);
  }

  /// Starts a server for this machine on any free port.
  ///
  /// @param datagrams true to serve UDP too
  public static RpcServer serve(boolean datagrams, RpcProgram... programs) throws IOException {
    RpcServer.Options options =
        new RpcServer.Options(
            List.of(programs), RpcLimits.DEFAULT, InetAddress::isLoopbackAddress, datagrams);
    return RpcServer.start(ServerConfig.onLoopback("nfs", 0), options);
  }

  int port() {
    return server.server().port();
  }

  RpcTestClient connect() throws IOException {
    return new RpcTestClient(port());
  }

  long count(ToLongFunction<RpcCounters> of) {
    return server.counts().stream().mapToLong(of).sum();
  }

  @Override
  public void close() {
    program.gate.release(100_000);
    server.close();
    assertThat(server.messageBytes()).as("memory of messages").isZero();
    assertThat(program.leases()).as("leases on content").isZero();
    assertThat(count(counts -> counts.passed - counts.worked)).isZero();
  }
}
