import org.jspecify.annotations.NullMarked;

/// Packet drivers and a network stack in Java: Ethernet, ARP, IPv4, ICMP and UDP, beside the
/// kernel's.
@NullMarked
module sluice.net {
  requires static org.jspecify;
  requires transitive sluice.loop;
  requires transitive sluice.memory;
  requires sluice.sys;

  exports sluice.net;
  exports sluice.net.port;
  exports sluice.net.stack;
  exports sluice.net.transport;
  exports sluice.net.wire to
      sluice.bench;
  exports sluice.net.xdp to
      sluice.bench;
}
