package sluice.vi;

/// The address to which a VI connects. It consists of a device of this process and the location of
/// the peer. The location is `HOST:PORT` for the device `ring`, and a name of at most 60 bytes for
/// other devices. Immutable.
///
/// @param nic the device
/// @param place the location of the peer
public record ViAddress(Nic nic, String place) {}
