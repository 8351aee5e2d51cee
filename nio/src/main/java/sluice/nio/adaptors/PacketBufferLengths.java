package sluice.nio.adaptors;

import java.net.DatagramPacket;
import java.util.Map;
import java.util.WeakHashMap;

/// The capacity of packets before something was received into them. It allows a reused packet to
/// receive as many bytes as the first time. Any thread may call it.
///
/// The JDK stores the capacity in a field of the packet that is private to `java.net`. If that
/// package is not open to this module (see [JavaNet]), this class remembers it instead. If the
/// length of a packet differs from the number of bytes last received, the application has set a new
/// length, which then applies.
final class PacketBufferLengths {
  private record Received(int length, int room) {}

  private final Map<DatagramPacket, Received> received = new WeakHashMap<>();

  /// Returns the maximum number of bytes that can be received into the given packet.
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
  /// @param room the number of bytes that could have been received
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
