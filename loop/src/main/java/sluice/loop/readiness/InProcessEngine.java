package sluice.loop.readiness;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// The engine without a kernel: connections inside the process ([InProcessNetwork]), and a wait
/// that parks the thread. Its owner is the thread that turns it first.
///
/// What it lacks is what `jdk` lacks: `pollOnce`, `sendFile`, adopted listeners.
public final class InProcessEngine {
  private InProcessEngine() {}

  public static Engine open(InProcessNetwork network, EngineConfig config) {
    return InProcessTransport.open(network, config).engine();
  }
}
