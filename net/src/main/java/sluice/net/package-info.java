/// The configuration of a network stack. The following list shows the packages of this module from
/// top to bottom.
///
/// ```
///  transport     datagrams on a loop, a worker thread, parsing of options
///  tap   xdp     drivers: a TAP device of the kernel, queues of a network card
///  stack         ARP, IPv4 with fragments, ICMP, UDP over one port
///  wire          headers and the checksum
///  port          the driver interface: frames in and out in batches
/// ```
@NullMarked
package sluice.net;

import org.jspecify.annotations.NullMarked;
