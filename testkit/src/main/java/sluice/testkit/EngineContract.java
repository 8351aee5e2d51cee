package sluice.testkit;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// The behaviour of every [Engine], whatever its kernel mechanism: one suite that runs on all of
/// them. The test's thread owns the engine.
///
/// The suite is divided by theme into interfaces, to keep it readable; a subclass for one engine
/// inherits all of them.
@Timeout(240)
public abstract class EngineContract
    implements EngineContractConnect,
        EngineContractReceive,
        EngineContractSend,
        EngineContractTurn,
        EngineContractPoll,
        EngineContractLife,
        EngineContractEcho {
  private EngineContractRig rig = new EngineContractRig(this::open, new EngineContractSockets());

  /// Opens the engine under test.
  protected abstract Engine open(EngineConfig config) throws IOException;

  /// Returns the peers of the engine; plain sockets unless overridden.
  protected EngineContractPeers peers() {
    return new EngineContractSockets();
  }

  /// Returns true if `pollOnce`, `sendFile` and adopted listeners work, which need raw descriptors.
  /// Otherwise the suite checks that they are refused.
  @Override
  public boolean rawDescriptors() {
    return true;
  }

  /// Returns the maximum number of heap bytes allocated per echoed message after warm-up.
  @Override
  public long allowedBytesPerEcho() {
    return 0;
  }

  @Override
  public final EngineContractRig rig() {
    return rig;
  }

  @BeforeEach
  void openRig() {
    rig = new EngineContractRig(this::open, peers());
  }

  @AfterEach
  void closeRig() throws Exception {
    rig.close();
  }
}
