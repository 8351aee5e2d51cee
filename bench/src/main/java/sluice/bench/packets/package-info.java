/// `bench xdp`: datagrams between two processes at the ends of a veth pair, each in a network
/// namespace of its own, by AF_XDP and by the kernel's sockets.
@NullMarked
package sluice.bench.packets;

import org.jspecify.annotations.NullMarked;
