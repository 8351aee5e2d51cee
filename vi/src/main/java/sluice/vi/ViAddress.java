package sluice.vi;

/// The address a VI connects to: a device of this process, and the peer's place in the form used by
/// the device: for `ring`, `HOST:PORT`; for the others, a name of at most 60 bytes. Immutable.
///
/// @param nic the device
/// @param place the place of the peer
public record ViAddress(Nic nic, String place) {}
