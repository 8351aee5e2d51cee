package sluice.nio.adaptors;

import java.net.DatagramPacket;
import java.util.Map;
import java.util.WeakHashMap;

/// The room of packets before something was received into them, so that a reused packet takes as
/// much as the first time. Any thread may call.
///
/// The JDK keeps it in the packet, in a field of `java.net`. If that package is not open to this
/// module (see [JavaNet]), the socket remembers it. If the length of a packet differs from the
/// number of bytes received, the application has set another length, which then applies.
final class PacketBufferLengths {
  private record Received(int length, int room) {}

  private final Map<DatagramPacket, Received> received = new WeakHashMap<>();

  /// Returns the number of bytes that may be received into a packet.
  int of(DatagramPacket packet) {
    JavaNet inside = JavaNet.inside();
    return inside != null ? inside.room(packet) : remembered(packet);
  }

  private synchronized int remembered(DatagramPacket packet) {
    Received last = received.get(packet);
    return last != null && last.length() == packet.getLength() ? last.room() : packet.getLength();
  }

  /// Sets the length of a packet after a receive.
  ///
  /// @param room the number of bytes there was room for
  void received(DatagramPacket packet, int bytes, int room) {
    JavaNet inside = JavaNet.inside();
    if (inside != null) {
      inside.received(packet, bytes);
    } else {
      packet.setLength(bytes);
      remember(packet, room);
    }
  }

  private synchronized void remember(DatagramPacket packet, int room) {
    if (packet.getLength() == room) {
      received.remove(packet);
    } else {
      received.put(packet, new Received(packet.getLength(), room));
    }
  }
}
