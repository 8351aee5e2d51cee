/// Transfers the frames of the queues of a network card by AF_XDP ([XdpPort]). A program that is
/// attached to the interface ([XdpFilter]) selects the frames for the stack. All other frames are
/// still processed by the kernel.
///
/// ```
///  XdpPort ── XdpQueue ── DeviceRing ×4 ── frames (UMEM)
///     │           └── socket of AF_XDP ◀── XSKMAP ◀─┐
///     └── XdpFilter: owned ports ─────────▶ program ┴── interface
///                                              └─ XDP_PASS ─▶ kernel
/// ```
@NullMarked
package sluice.net.xdp;

import org.jspecify.annotations.NullMarked;
