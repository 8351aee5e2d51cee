package sluice.testkit;

import sluice.loop.engine.Backend;

/// The contract on a real kernel: all of [PollerContract], and tests that need threads and real
/// descriptors.
public abstract class PollerKernelContract extends PollerContract
    implements PollerContractThreads, PollerContractFiles {
  /// Returns the backend under test.
  protected abstract Backend backend();

  @Override
  protected final PollerContractWorld world() {
    return new PollerContractKernel(backend());
  }
}
