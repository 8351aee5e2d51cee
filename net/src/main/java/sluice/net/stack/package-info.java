/// A network stack over one [sluice.net.port.PacketPort]. [Ipv4Stack] receives frames and passes
/// their payloads up; [LinkOutput] resolves the next hop and sends.
///
/// ```
///             UdpSocket            echo
///                 │                  │
///               Udp ──────────── Icmp          Reassembly
///                 │                  │              │
///                 └── Ipv4Output ────┘     Ipv4Input┘
///                         │                    │
///                     LinkOutput ── ARP ── Ipv4Stack.poll
///                         └──── PacketPort ────┘
/// ```
///
/// One thread owns a stack. Handling a packet allocates nothing. The bytes of packets are
/// untrusted.
@NullMarked
package sluice.net.stack;

import org.jspecify.annotations.NullMarked;
