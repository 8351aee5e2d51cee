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

/// Takes IPv4 packets out of frames, puts fragments together, and hands payloads up. Owned by the
/// stack's thread.
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

  /// What stands above and below.
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

  /// A frame with a packet has come; its memory may be written.
  ///
  /// @param frame where the Ethernet header begins
  /// @param bytes of the packet, padding included
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

  /// Whether an address may be that of one station (RFC 1122, 3.2.1.3).
  private boolean isStation(int source) {
    return source != own.address()
        && !isBroadcast(source)
        && source >>> 24 != 0
        && source >>> 24 != LOOPBACK_NET
        && source >>> 28 < 0xe;
  }

  /// @param packet where the header is; that of the last fragment when there were several
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

  /// Tells the sender, but not of a packet for all stations, be it by its address or that of its
  /// frame, nor of fragments (RFC 1122, 3.2.2).
  private void refuse(MemorySegment packet, long headerAt, int packetBytes, int code) {
    long station = EthernetHeader.destination(packet, headerAt - EthernetHeader.BYTES);
    if (Ipv4Header.destination(packet, headerAt) == own.address()
        && !EthernetHeader.isGroup(station)
        && !Ipv4Header.isFragment(packet, headerAt)) {
      icmp.unreachable(packet, headerAt, packetBytes, code);
    }
  }

  /// Where the kernel answers ARP, the stack knows the stations that it has heard.
  private void learn(MemorySegment packet, long headerAt, int source) {
    if (!config.ownsAddress()) {
      long mac = EthernetHeader.source(packet, headerAt - EthernetHeader.BYTES);
      link.learn(source, mac, true);
    }
  }
}
