package sluice.nio.adaptors;

import java.net.DatagramPacket;
import java.util.Map;
import java.util.WeakHashMap;

/// How much room packets had before something was received into them, so that a packet that is used
/// again takes as much as the first time. Any thread may call.
///
/// The JDK keeps it in the packet, in a field of `java.net`. Where that package is closed to us
/// (see [JavaNet]) the socket remembers: a packet whose length is no longer what was received has
/// been given another by the application, and that counts.
final class PacketBufferLengths {
  private record Received(int length, int room) {}

  private final Map<DatagramPacket, Received> received = new WeakHashMap<>();

  /// @return bytes that may be received
  int of(DatagramPacket packet) {
    JavaNet inside = JavaNet.inside();
    return inside != null ? inside.room(packet) : remembered(packet);
  }

  private synchronized int remembered(DatagramPacket packet) {
    Received last = received.get(packet);
    return last != null && last.length() == packet.getLength() ? last.room() : packet.getLength();
  }

  /// Something has been received: gives the packet its length.
  ///
  /// @param room bytes there was room for
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
