package sluice.nio;

import java.net.DatagramPacket;
import java.util.Map;
import java.util.WeakHashMap;

/// How much room packets had before something was received into them, so that one that is used
/// again takes as much as the first time. Any thread may call.
///
/// The JDK keeps it in the packet, in a field that only `java.net` can reach. A packet whose length
/// is no longer what was received has been given another by the application, and that counts.
final class PacketRooms {
  private record Received(int length, int room) {}

  private final Map<DatagramPacket, Received> received = new WeakHashMap<>();

  /// @return bytes that may be received
  synchronized int of(DatagramPacket packet) {
    Received last = received.get(packet);
    return last != null && last.length() == packet.getLength() ? last.room() : packet.getLength();
  }

  /// Something has been received, and the packet's length is that.
  ///
  /// @param room bytes there was room for
  synchronized void keep(DatagramPacket packet, int room) {
    if (packet.getLength() == room) {
      received.remove(packet);
    } else {
      received.put(packet, new Received(packet.getLength(), room));
    }
  }
}
