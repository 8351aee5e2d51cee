/// Datagrams on a loop: a port ([Datagrams]) that gives each datagram to a handler and sends what
/// that stages, many for each system call.
///
/// ```
///  DatagramHandler ◀── view, peer ── Datagrams ◀── recvmmsg ── kernel
///        └── DatagramOutput ──▶ batch ──────────── sendmmsg ──▶
/// ```
///
/// `KernelDatagrams` is the port over the kernel's sockets. `DatagramInterruptlets` answers fast
/// and slow on any port.
@NullMarked
package sluice.loop.datagrams;

import org.jspecify.annotations.NullMarked;
