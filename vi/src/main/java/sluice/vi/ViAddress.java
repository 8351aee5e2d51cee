package sluice.vi;

/// Where a VI connects to: a device of this process, and the peer's place in the form that the
/// device knows: for `ring`, `HOST:PORT`; for the others, a name of at most 60 bytes. Immutable.
///
/// @param nic the device
/// @param place of the peer
public record ViAddress(Nic nic, String place) {}
