package sluice.net.stack;

import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/// A port of a stack's UDP. Owned by the stack's thread.
public final class UdpSocket implements AutoCloseable {
  /// Room in front of a datagram's bytes that [#send] writes its header into.
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

  public int port() {
    return port;
  }

  /// Says what gets the datagrams from now on.
  public void receiver(UdpReceiver value) {
    receiver = value;
  }

  UdpReceiver receiver() {
    return receiver;
  }

  /// Sends a datagram.
  ///
  /// @param memory its bytes are `[at, at + length)`; the [#HEADROOM_BYTES] before are overwritten
  /// @return false when it was dropped
  /// @throws IllegalArgumentException when it is longer than a datagram can be
  public boolean send(MemorySegment memory, long at, int length, int address, int toPort) {
    return open && udp.send(memory, at, length, port, address, toPort);
  }

  /// Idempotent.
  @Override
  public void close() {
    if (open) {
      open = false;
      udp.unbind(this);
      closed.accept(port);
    }
  }
}
