/// How a network stack is set up; the lowest of the module's packages.
///
/// ```
///  transport     datagrams on a loop, a worker of its own, what options name
///  tap   xdp     drivers: a device of the kernel, a queue of a network card
///  stack         ARP, IPv4 with fragments, ICMP, UDP over one port
///  wire          headers and the checksum
///  port          the seam: frames in and out in batches
/// ```
@NullMarked
package sluice.net;

import org.jspecify.annotations.NullMarked;
