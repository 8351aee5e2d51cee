package sluice.nfs;

import java.net.SocketAddress;
import java.util.List;
import sluice.loop.datagrams.DatagramPorts;
import sluice.loop.server.ServerConfig;

/// How an [sluice.nfs.server.NfsServer] is set up.
///
/// @param server addresses, loops and backend; calls that wait run on its slow path
/// @param exports at least one
/// @param limits what each loop takes on
/// @param datagrams whether UDP is served as well, on the same ports
/// @param portmap whether the portmapper also answers on port 111, where that is allowed and free;
///   on the server's own ports it always does
/// @param datagramPorts what opens the ports of UDP: the kernel's sockets, or another network stack
public record NfsConfig(
    ServerConfig server,
    List<NfsExport> exports,
    RpcLimits limits,
    boolean datagrams,
    boolean portmap,
    DatagramPorts datagramPorts) {
  /// The port of NFS.
  public static final int PORT = 2049;

  public NfsConfig {
    exports = List.copyOf(exports);
    if (exports.isEmpty()) {
      throw new IllegalArgumentException("a server needs an export");
    }
  }

  /// With the kernel's sockets.
  public NfsConfig(
      ServerConfig server,
      List<NfsExport> exports,
      RpcLimits limits,
      boolean datagrams,
      boolean portmap) {
    this(server, exports, limits, datagrams, portmap, DatagramPorts.KERNEL);
  }

  /// TCP and UDP on one address, one loop, no port 111.
  public static NfsConfig of(SocketAddress address, NfsExport... exports) {
    return new NfsConfig(
        ServerConfig.of("nfs", address), List.of(exports), RpcLimits.DEFAULT, true, false);
  }

  public NfsConfig withServer(ServerConfig value) {
    return new NfsConfig(value, exports, limits, datagrams, portmap, datagramPorts);
  }

  public NfsConfig withLimits(RpcLimits value) {
    return new NfsConfig(server, exports, value, datagrams, portmap, datagramPorts);
  }

  public NfsConfig withDatagrams(boolean value) {
    return new NfsConfig(server, exports, limits, value, portmap, datagramPorts);
  }

  public NfsConfig withPortmap(boolean value) {
    return new NfsConfig(server, exports, limits, datagrams, value, datagramPorts);
  }

  public NfsConfig withDatagramPorts(DatagramPorts value) {
    return new NfsConfig(server, exports, limits, datagrams, portmap, value);
  }
}
