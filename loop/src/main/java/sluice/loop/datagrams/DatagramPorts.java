package sluice.loop.datagrams;

import java.io.IOException;
import java.net.InetSocketAddress;
import sluice.loop.Loop;

/// Opens ports for datagrams: on the kernel's sockets, or on a network stack of our own. Called on
/// the loop's thread.
@FunctionalInterface
public interface DatagramPorts {
  /// The kernel's sockets.
  DatagramPorts KERNEL = Datagrams::open;

  /// As [Datagrams#open].
  Datagrams open(Loop loop, InetSocketAddress wanted, DatagramHandler handler) throws IOException;
}
