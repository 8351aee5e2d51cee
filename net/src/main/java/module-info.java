import org.jspecify.annotations.NullMarked;

/// Provides packet drivers and a network stack in Java that supports Ethernet, ARP, IPv4, ICMP and
/// UDP. It can be used in addition to the network stack of the kernel.
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
