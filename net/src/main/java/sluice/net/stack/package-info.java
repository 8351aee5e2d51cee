/// A network stack over one [sluice.net.port.PacketPort]. [Ipv4Stack] receives frames and passes
/// their payloads to the upper layers. [LinkOutput] resolves the next hop and sends frames.
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
/// A stack is owned by one thread. Processing a packet does not allocate memory. The bytes of
/// packets are untrusted.
@NullMarked
package sluice.net.stack;

import org.jspecify.annotations.NullMarked;
