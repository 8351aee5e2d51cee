package sluice.net.stack;

import java.lang.foreign.MemorySegment;
import sluice.net.Ipv4Prefix;
import sluice.net.port.PacketPort;
import sluice.net.wire.EthernetHeader;
import sluice.net.wire.Ipv4Header;

/// Sends IPv4 packets, which are fragmented if they exceed the MTU. Instances are owned by the
/// stack's thread.
final class Ipv4Output {
  private static final int HEADERS = EthernetHeader.BYTES + Ipv4Header.BYTES;

  /// The minimum MTU of IPv4 (RFC 791, section 3.2).
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

  /// Adjusts the packet size to the current MTU.
  void fit() {
    int mtu = Math.min(port.mtu(), port.frameBytes() - EthernetHeader.BYTES);
    mostPayload = Math.max(mtu, LEAST_MTU) - Ipv4Header.BYTES;
  }

  /// Sends a packet in as many fragments as required. If there are not enough free frames, the
  /// remaining fragments are dropped.
  ///
  /// @param data the memory that holds the payload
  /// @return false if the packet or a part of it was dropped
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
