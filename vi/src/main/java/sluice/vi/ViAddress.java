package sluice.vi;

/// Where a VI connects to: a device of this process, and the peer's place in the form that the
/// device knows (`local`: a name; `ofi`: `HOST:PORT`). Immutable.
///
/// @param nic the device
/// @param place of the peer
public record ViAddress(Nic nic, String place) {}
