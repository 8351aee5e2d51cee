package sluice.testkit;

import sluice.loop.engine.Backend;

/// The contract on the backend `io_uring`.
class PollerIoUringTest extends PollerKernelContract {
  @Override
  protected Backend backend() {
    return Backend.IO_URING;
  }
}
