package sluice.loop.datagrams;

import java.io.IOException;
import java.net.InetSocketAddress;
import sluice.loop.Loop;

/// A port for datagrams, bound to one address, on one loop. Each datagram that comes is shown to
/// the port's handler, with a name for its sender; replies are built in place and leave together.
///
/// Owned by the loop's thread, which alone may call. Datagrams are lost as the network loses them:
/// also when the kernel has no room for one, or the handler takes longer than they come. What is
/// lost here is counted ([#dropped]).
public interface Datagrams extends AutoCloseable {
  /// Longest datagram that is sent: what IPv4 has room for (RFC 768, RFC 791).
  int MOST_BYTES = 65_507;

  /// Opens a port on the kernel's sockets. On the loop's thread. It is closed with the loop at the
  /// latest.
  ///
  /// @param wanted port 0 asks for any free one
  /// @param handler gets what comes from now on
  /// @throws UnsupportedOperationException when the loop's engine waits for no descriptors, as that
  ///   of backend `jdk`
  /// @throws IOException when the address cannot be bound
  static Datagrams open(Loop loop, InetSocketAddress wanted, DatagramHandler handler)
      throws IOException {
    return KernelDatagrams.open(loop, wanted, handler);
  }

  /// False once it was closed, by [#close] or with its loop.
  boolean isOpen();

  /// Where it is bound.
  InetSocketAddress address();

  /// Begins a datagram; what was begun before and not sent is forgotten. It comes from the address
  /// that the peer has sent to.
  DatagramOutput to(DatagramPeer peer);

  /// Sends now what is staged. Otherwise it leaves when the handler has seen all that came with the
  /// same system call; what is staged outside of the handler leaves before the loop waits.
  void flush();

  /// Datagrams that have come.
  long received();

  /// Datagrams that the kernel has taken.
  long sent();

  /// Datagrams that were lost here, of both directions.
  long dropped();

  /// Idempotent.
  @Override
  void close();
}
