package sluice.testkit;

import sluice.loop.Backend;

/// The contract on the backend `poll`.
class PollerPollTest extends PollerKernelContract {
  @Override
  protected Backend backend() {
    return Backend.POLL;
  }
}
