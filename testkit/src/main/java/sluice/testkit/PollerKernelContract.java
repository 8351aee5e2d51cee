package sluice.testkit;

import sluice.loop.engine.Backend;

/// The contract on a real kernel: everything of [PollerContract], and what needs threads and real
/// descriptors.
public abstract class PollerKernelContract extends PollerContract
    implements PollerContractThreads, PollerContractFiles {
  /// The backend under test.
  protected abstract Backend backend();

  @Override
  protected final PollerContractWorld world() {
    return new PollerContractKernel(backend());
  }
}
