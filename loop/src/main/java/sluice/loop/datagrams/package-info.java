/// Datagrams on a loop: a port ([Datagrams]) passes each datagram to a handler and sends the staged
/// ones, many per system call.
///
/// ```
///  DatagramHandler ◀── view, peer ── Datagrams ◀── recvmmsg ── kernel
///        └── DatagramOutput ──▶ batch ──────────── sendmmsg ──▶
/// ```
///
/// `KernelDatagrams` is the port over the kernel's sockets, [UserDatagrams] the port over a network
/// stack of our own; [DatagramPorts] lets a server choose. `DatagramInterruptlets` answers fast and
/// slow on any port.
@NullMarked
package sluice.loop.datagrams;

import org.jspecify.annotations.NullMarked;
