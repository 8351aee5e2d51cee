package sluice.nfs;

import java.net.SocketAddress;
import java.util.List;
import sluice.loop.datagrams.DatagramPorts;
import sluice.loop.server.ServerConfig;

/// The configuration of an [sluice.nfs.server.NfsServer].
///
/// @param server the addresses, loops and backend; calls that have to wait run on its slow path
/// @param exports the exports, at least one
/// @param limits the limits of each loop
/// @param datagrams true to serve UDP as well, on the same ports
/// @param portmap true to run a portmapper on port 111 as well, provided that the port is free and
///   may be bound; the server's own ports always answer portmapper calls
/// @param datagramPorts the factory of the UDP ports, which are either sockets of the kernel or
///   ports of another network stack
public record NfsConfig(
    ServerConfig server,
    List<NfsExport> exports,
    RpcLimits limits,
    boolean datagrams,
    boolean portmap,
    DatagramPorts datagramPorts) {
  /// The default port of an NFS server.
  public static final int PORT = 2049;

  /// Creates a configuration.
  ///
  /// @throws IllegalArgumentException if there is no export
  public NfsConfig {
    exports = List.copyOf(exports);
    if (exports.isEmpty()) {
      throw new IllegalArgumentException("a server needs an export");
    }
  }

  /// Creates a configuration that uses the UDP sockets of the kernel.
  public NfsConfig(
      ServerConfig server,
      List<NfsExport> exports,
      RpcLimits limits,
      boolean datagrams,
      boolean portmap) {
    this(server, exports, limits, datagrams, portmap, DatagramPorts.KERNEL);
  }

  /// Returns a configuration that serves the given exports over TCP and UDP on one address. It uses
  /// one loop and does not bind port 111.
  public static NfsConfig of(SocketAddress address, NfsExport... exports) {
    return new NfsConfig(
        ServerConfig.of("nfs", address), List.of(exports), RpcLimits.DEFAULT, true, false);
  }

  /// Returns a copy of this configuration with the given addresses, loops and backend.
  public NfsConfig withServer(ServerConfig value) {
    return new NfsConfig(value, exports, limits, datagrams, portmap, datagramPorts);
  }

  /// Returns a copy of this configuration with the given limits.
  public NfsConfig withLimits(RpcLimits value) {
    return new NfsConfig(server, exports, value, datagrams, portmap, datagramPorts);
  }

  /// Returns a copy of this configuration with UDP enabled or disabled.
  public NfsConfig withDatagrams(boolean value) {
    return new NfsConfig(server, exports, limits, value, portmap, datagramPorts);
  }

  /// Returns a copy of this configuration with the portmapper on port 111 enabled or disabled.
  public NfsConfig withPortmap(boolean value) {
    return new NfsConfig(server, exports, limits, datagrams, value, datagramPorts);
  }

  /// Returns a copy of this configuration with the given factory of UDP ports.
  public NfsConfig withDatagramPorts(DatagramPorts value) {
    return new NfsConfig(server, exports, limits, datagrams, portmap, value);
  }
}
