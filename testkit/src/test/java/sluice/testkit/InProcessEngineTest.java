package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.server.InProcess;

/// The contract on the engine without a kernel.
class InProcessEngineTest extends EngineContract {
  private final InProcess network = new InProcess();

  @Override
  protected Engine open(EngineConfig config) {
    return network.open(config);
  }

  @Override
  protected EngineContractPeers peers() {
    return new InProcessPeers(network);
  }

  @Override
  public boolean rawDescriptors() {
    return false;
  }

  /// Does nothing: this engine makes no system calls.
  @Override
  @Test
  public void systemCallsAreCounted() throws IOException {
    long before = rig().engine().systemCalls();
    rig().turn(0);
    assertThat(rig().engine().systemCalls()).isEqualTo(before);
  }
}
