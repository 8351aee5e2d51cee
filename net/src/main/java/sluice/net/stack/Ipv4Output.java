package sluice.net.stack;

import java.lang.foreign.MemorySegment;
import sluice.net.Ipv4Prefix;
import sluice.net.port.PacketPort;
import sluice.net.wire.EthernetHeader;
import sluice.net.wire.Ipv4Header;

/// Writes IPv4 packets into frames, in fragments where they are longer than the link takes. Owned
/// by the stack's thread.
final class Ipv4Output {
  private static final int HEADERS = EthernetHeader.BYTES + Ipv4Header.BYTES;

  /// Each link of IPv4 carries that much (RFC 791, 3.2).
  private static final int LEAST_MTU = 68;

  private final PacketPort port;
  private final LinkOutput link;
  private final StackCounters counters;
  private final int own;
  private final PacketIds ids;
  private int mostPayload;

  Ipv4Output(
      PacketPort port, LinkOutput link, StackCounters counters, Ipv4Prefix own, PacketIds ids) {
    this.port = port;
    this.link = link;
    this.counters = counters;
    this.own = own.address();
    this.ids = ids;
    fit();
  }

  /// Fits packets to the link as it is now.
  void fit() {
    int mtu = Math.min(port.mtu(), port.frameBytes() - EthernetHeader.BYTES);
    mostPayload = Math.max(mtu, LEAST_MTU) - Ipv4Header.BYTES;
  }

  /// Sends a packet, or as many of its fragments as there are frames for.
  ///
  /// @param data its payload is copied from here
  /// @return false when it, or a part, was dropped
  boolean send(int destination, int protocol, MemorySegment data, long at, int bytes) {
    int hop = link.nextHop(destination);
    if (hop == 0) {
      counters.noRoute++;
      return false;
    }
    int id = ids.next();
    int step = bytes <= mostPayload ? mostPayload : mostPayload & -8;
    int done = 0;
    do {
      int part = Math.min(step, bytes - done);
      long frame = claim();
      if (frame < 0) {
        counters.noFrame++;
        return false;
      }
      MemorySegment memory = port.memory();
      long header = frame + EthernetHeader.BYTES;
      Ipv4Header.write(memory, header, id, protocol, own);
      Ipv4Header.fragment(memory, header, destination, part, done, done + part < bytes);
      MemorySegment.copy(data, at + done, memory, header + Ipv4Header.BYTES, part);
      link.send(frame, HEADERS + part, hop);
      done += part;
    } while (done < bytes);
    return true;
  }

  private long claim() {
    long frame = port.claim();
    if (frame < 0) {
      port.flush();
      frame = port.claim();
    }
    return frame;
  }
}
