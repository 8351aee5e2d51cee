package sluice.loop.readiness;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// The engine without a kernel: connections inside the process ([InProcessNetwork]), and a wait
/// that parks the thread. Owned by the thread that turns it first.
///
/// It lacks the same operations as the `jdk` engine: `pollOnce`, `sendFile`, adopted listeners.
public final class InProcessEngine {
  private InProcessEngine() {}

  public static Engine open(InProcessNetwork network, EngineConfig config) {
    return InProcessTransport.open(network, config).engine();
  }
}
