package sluice.loop.datagrams;

import java.io.IOException;
import java.net.InetSocketAddress;
import sluice.loop.Loop;

/// A port for datagrams, bound to one address, on one loop. Each received datagram is shown to the
/// port's handler together with its sender; replies are built in place and leave together.
///
/// Owned by the loop's thread, which alone may call. Datagrams may be lost as in any network: also
/// if the kernel has no room for one, or if the handler is slower than they arrive. Datagrams lost
/// here are counted ([#dropped]).
public interface Datagrams extends AutoCloseable {
  /// The longest datagram that is sent: the limit of IPv4 (RFC 768, RFC 791).
  int MOST_BYTES = 65_507;

  /// Opens a port on the kernel's sockets. On the loop's thread. It is closed with the loop at the
  /// latest.
  ///
  /// @param wanted the address; port 0 asks for any free port
  /// @param handler receives the datagrams from now on
  /// @throws UnsupportedOperationException if the loop's engine waits for no descriptors, as that
  ///   of backend `jdk`
  /// @throws IOException if the address cannot be bound
  static Datagrams open(Loop loop, InetSocketAddress wanted, DatagramHandler handler)
      throws IOException {
    return KernelDatagrams.open(loop, wanted, handler);
  }

  /// Returns false once the port was closed, by [#close] or with its loop.
  boolean isOpen();

  /// Returns the bound address.
  InetSocketAddress address();

  /// Begins a datagram and discards any begun but unsent datagram. It is sent from the address that
  /// the peer has sent to.
  DatagramOutput to(DatagramPeer peer);

  /// Sends the staged datagrams now. Otherwise they leave when the handler has seen all datagrams
  /// of the same system call; those staged outside of the handler leave before the loop waits.
  void flush();

  /// Returns the number of received datagrams.
  long received();

  /// Returns the number of datagrams taken by the kernel.
  long sent();

  /// Returns the number of datagrams lost here, in both directions.
  long dropped();

  /// Closes the port. Idempotent.
  @Override
  void close();
}
