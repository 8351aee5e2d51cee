package sluice.loop.readiness;

import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// An engine that does not use the kernel. It provides in-process connections ([InProcessNetwork])
/// and a wait that parks the thread. Owned by the first thread that turns it.
///
/// It does not support the operations that are missing in the `jdk` engine: `pollOnce`, `sendFile`
/// and adopted listeners.
public final class InProcessEngine {
  private InProcessEngine() {}

  public static Engine open(InProcessNetwork network, EngineConfig config) {
    return InProcessTransport.open(network, config).engine();
  }
}
