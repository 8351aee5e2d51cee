package sluice.loop.datagrams;

import java.io.IOException;
import java.net.InetSocketAddress;
import sluice.loop.Loop;

/// A datagram port that is bound to one address on one loop. Each received datagram is passed to
/// the port's handler together with its sender. Replies are built in place and sent together.
///
/// Owned by the loop's thread, which is the only thread that may call. Datagrams may be lost as in
/// any network, including when the kernel has no room for a datagram or the handler is slower than
/// the arrival rate. Datagrams lost on this side are counted ([#dropped]).
public interface Datagrams extends AutoCloseable {
  /// The maximum size of a sent datagram, which is the limit of IPv4 (RFC 768, RFC 791).
  int MOST_BYTES = 65_507;

  /// Opens a port on the kernel's sockets. Must be called on the loop's thread. The port is closed
  /// with the loop at the latest.
  ///
  /// @param wanted the address; port 0 selects any free port
  /// @param handler receives the datagrams from now on
  /// @throws UnsupportedOperationException if the loop's engine does not support waiting for
  ///   descriptors, as with backend `jdk`
  /// @throws IOException if the address cannot be bound
  static Datagrams open(Loop loop, InetSocketAddress wanted, DatagramHandler handler)
      throws IOException {
    return KernelDatagrams.open(loop, wanted, handler);
  }

  /// Returns false if the port has been closed, either by [#close] or with its loop.
  boolean isOpen();

  /// Returns the bound address.
  InetSocketAddress address();

  /// Starts a datagram and discards any unsent datagram that was started before. It is sent from
  /// the address to which the peer has sent.
  DatagramOutput to(DatagramPeer peer);

  /// Sends the staged datagrams now. Otherwise they are sent when the handler has processed all
  /// datagrams of the same system call. Datagrams staged outside of the handler are sent before the
  /// loop waits.
  void flush();

  /// Returns the number of received datagrams.
  long received();

  /// Returns the number of datagrams accepted by the kernel.
  long sent();

  /// Returns the number of datagrams lost on this side, in both directions.
  long dropped();

  /// Closes the port. Idempotent.
  @Override
  void close();
}
