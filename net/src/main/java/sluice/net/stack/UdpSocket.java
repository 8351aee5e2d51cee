package sluice.net.stack;

import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/// A UDP socket of a stack. Instances are owned by the stack's thread.
public final class UdpSocket implements AutoCloseable {
  /// The number of bytes before the data that are overwritten with the header by [#send].
  public static final int HEADROOM_BYTES = 8;

  private final Udp udp;
  private final int port;
  private final IntConsumer closed;
  private UdpReceiver receiver = (memory, at, length, address, from) -> {};
  private boolean open = true;

  UdpSocket(Udp udp, int port, IntConsumer closed) {
    this.udp = udp;
    this.port = port;
    this.closed = closed;
  }

  /// Returns the local port.
  public int port() {
    return port;
  }

  /// Sets the receiver of all subsequent datagrams.
  public void receiver(UdpReceiver value) {
    receiver = value;
  }

  UdpReceiver receiver() {
    return receiver;
  }

  /// Sends a datagram.
  ///
  /// @param memory the memory that contains the data in `[at, at + length)`; the [#HEADROOM_BYTES]
  ///   bytes before the data are overwritten
  /// @return false if the datagram was dropped
  /// @throws IllegalArgumentException if the data are too long for a datagram
  public boolean send(MemorySegment memory, long at, int length, int address, int toPort) {
    return open && udp.send(memory, at, length, port, address, toPort);
  }

  /// Closes the socket. This method is idempotent.
  @Override
  public void close() {
    if (open) {
      open = false;
      udp.unbind(this);
      closed.accept(port);
    }
  }
}
