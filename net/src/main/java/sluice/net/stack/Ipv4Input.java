package sluice.net.stack;

import java.lang.foreign.MemorySegment;
import sluice.loop.engine.NanoClock;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;
import sluice.net.wire.EthernetHeader;
import sluice.net.wire.IcmpHeader;
import sluice.net.wire.Ipv4Header;
import sluice.net.wire.Ipv4Options;
import sluice.net.wire.UdpHeader;

/// Receives IPv4 packets. It validates them, reassembles fragments, and passes their payloads to
/// ICMP and UDP. Instances are owned by the stack's thread.
final class Ipv4Input {
  private static final int LOOPBACK_NET = 127;

  private final StackConfig config;
  private final Ipv4Prefix own;
  private final StackCounters counters;
  private final NanoClock clock;
  private final Reassembly reassembly;
  private final LinkOutput link;
  private final Icmp icmp;
  private final Udp udp;

  /// The adjacent layers of the stack.
  record Layers(Reassembly reassembly, LinkOutput link, Icmp icmp, Udp udp) {}

  Ipv4Input(StackConfig config, StackCounters counters, NanoClock clock, Layers layers) {
    this.config = config;
    this.own = config.address();
    this.counters = counters;
    this.clock = clock;
    this.reassembly = layers.reassembly;
    this.link = layers.link;
    this.icmp = layers.icmp;
    this.udp = layers.udp;
  }

  /// Processes a frame that contains an IPv4 packet. The memory of the frame may be overwritten.
  ///
  /// @param frame the position of the Ethernet header
  /// @param bytes the length of the packet, including padding
  void received(MemorySegment memory, long frame, int bytes) {
    long at = frame + EthernetHeader.BYTES;
    int header = Ipv4Header.check(memory, at, bytes);
    if (header == 0) {
      counters.malformed++;
      return;
    }
    int source = Ipv4Header.source(memory, at);
    int target = Ipv4Header.destination(memory, at);
    if (target != own.address() && !isBroadcast(target)) {
      counters.notForUs++;
      return;
    }
    if (link.isGivenUp()) {
      counters.refused++;
      return;
    }
    boolean routed = header > Ipv4Header.BYTES && !Ipv4Options.areHarmless(memory, at, header);
    if (routed || !isStation(source)) {
      counters.refused++;
      return;
    }
    if (!Ipv4Header.isFragment(memory, at)) {
      int payload = Ipv4Header.totalLength(memory, at) - header;
      hand(memory, at, header, memory, at + header, payload);
      return;
    }
    int context = reassembly.add(memory, at, header, clock.nanos());
    if (context >= 0) {
      long payloadAt = reassembly.payloadAt(context);
      int payload = reassembly.payloadBytes(context);
      try {
        hand(memory, at, header, reassembly.memory(), payloadAt, payload);
      } finally {
        reassembly.release(context);
      }
    }
  }

  private boolean isBroadcast(int address) {
    return address == -1 || address == own.broadcast();
  }

  /// Returns true if an address can belong to a single station (RFC 1122, section 3.2.1.3).
  private boolean isStation(int source) {
    return source != own.address()
        && !isBroadcast(source)
        && source >>> 24 != 0
        && source >>> 24 != LOOPBACK_NET
        && source >>> 28 < 0xe;
  }

  /// Passes a payload to its protocol.
  ///
  /// @param packet the memory that contains the header, which is the header of the last fragment
  ///   for a reassembled packet
  private void hand(
      MemorySegment packet, long headerAt, int header, MemorySegment memory, long at, int bytes) {
    int source = Ipv4Header.source(packet, headerAt);
    int target = Ipv4Header.destination(packet, headerAt);
    boolean toUs = target == own.address();
    switch (Ipv4Header.protocol(packet, headerAt)) {
      case Ipv4Header.ICMP -> icmp.received(memory, at, bytes, source, toUs);
      case Ipv4Header.UDP -> {
        if (udp.isWhole(memory, at, bytes, source, target)) {
          UdpSocket socket = udp.find(UdpHeader.destinationPort(memory, at));
          if (socket != null) {
            learn(packet, headerAt, source);
            udp.deliver(socket, memory, at, source);
          } else {
            counters.closedPorts++;
            refuse(packet, headerAt, header + bytes, IcmpHeader.PORT_UNREACHABLE);
          }
        }
      }
      default -> {
        counters.refused++;
        refuse(packet, headerAt, header + bytes, IcmpHeader.PROTOCOL_UNREACHABLE);
      }
    }
  }

  /// Sends an error to the sender of a packet, unless the packet is a broadcast, a group frame or a
  /// fragment (RFC 1122, section 3.2.2).
  private void refuse(MemorySegment packet, long headerAt, int packetBytes, int code) {
    long station = EthernetHeader.destination(packet, headerAt - EthernetHeader.BYTES);
    if (Ipv4Header.destination(packet, headerAt) == own.address()
        && !EthernetHeader.isGroup(station)
        && !Ipv4Header.isFragment(packet, headerAt)) {
      icmp.unreachable(packet, headerAt, packetBytes, code);
    }
  }

  /// Stores the hardware address of the sender if ARP is handled by the kernel. In this case, the
  /// stack only knows stations from which it has received packets.
  private void learn(MemorySegment packet, long headerAt, int source) {
    if (!config.ownsAddress()) {
      long mac = EthernetHeader.source(packet, headerAt - EthernetHeader.BYTES);
      link.learn(source, mac, true);
    }
  }
}
