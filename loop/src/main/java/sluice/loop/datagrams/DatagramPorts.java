package sluice.loop.datagrams;

import java.io.IOException;
import java.net.InetSocketAddress;
import sluice.loop.Loop;

/// A factory of datagram ports, either on kernel sockets or on our own network stack. Called on the
/// loop's thread.
@FunctionalInterface
public interface DatagramPorts {
  /// The factory of ports on kernel sockets.
  DatagramPorts KERNEL = Datagrams::open;

  /// Opens a port, see [Datagrams#open].
  Datagrams open(Loop loop, InetSocketAddress wanted, DatagramHandler handler) throws IOException;
}
