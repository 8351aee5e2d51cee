/// A network stack over one [sluice.net.port.PacketPort]: [Ipv4Stack] takes frames in and hands
/// them up, [LinkOutput] finds the station that a packet goes to.
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
/// One thread owns a stack. No object is made for a packet; bytes of packets are hostile.
@NullMarked
package sluice.net.stack;

import org.jspecify.annotations.NullMarked;
