/// The kernel interfaces that packet drivers need: TAP devices, AF_XDP sockets, programs and maps
/// of BPF, messages of rtnetlink, ARP frames, and the capabilities that these require. For module
/// `net` only.
@NullMarked
package sluice.sys.xdp;

import org.jspecify.annotations.NullMarked;
