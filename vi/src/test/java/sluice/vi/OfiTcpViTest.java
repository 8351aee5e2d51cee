package sluice.vi;

/// The contract on libfabric over TCP.
final class OfiTcpViTest extends OfiViContract {
  @Override
  String device() {
    return "ofi-tcp";
  }
}
