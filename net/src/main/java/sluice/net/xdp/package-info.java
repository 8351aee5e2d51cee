/// Frames of the queues of a network card, by AF_XDP: [XdpPort]. A program that is attached to the
/// interface ([XdpFilter]) selects our frames; the kernel gets all others as before.
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
