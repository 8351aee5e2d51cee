package sluice.vi;

/// The contract on libfabric's shared memory.
final class OfiShmViTest extends OfiViContract {
  @Override
  String device() {
    return "ofi-shm";
  }
}
