/// The device `xdp`: messages as datagrams of UDP over the project's own stack, on AF_XDP or TAP.
/// From below: [Datagram] says what stands where; [SendWindow] and [ReceiveWindow] are the two
/// halves of a connection, [XdpPort] an end of a VI; [SharedPort] is a port of UDP with its
/// connections, [XdpDevice] makes them.
package sluice.vi.xdp;
