package sluice.testkit;

import sluice.loop.engine.Backend;

/// The contract on the backend `poll`.
class PollerPollTest extends PollerKernelContract {
  @Override
  protected Backend backend() {
    return Backend.POLL;
  }
}
