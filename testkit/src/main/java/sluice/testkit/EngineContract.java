package sluice.testkit;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// What every [Engine] does, whatever kernel mechanism is below: one suite, run on all of them. The
/// test's thread owns the engine.
///
/// The themes are interfaces, to keep them readable; a subclass for one engine gets them all.
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

  /// The other ends of the wire; plain sockets unless overridden.
  protected EngineContractPeers peers() {
    return new EngineContractSockets();
  }

  /// Whether `pollOnce`, `sendFile` and adopted listeners work, which need raw descriptors. Where
  /// not, the suite checks that they are refused.
  @Override
  public boolean rawDescriptors() {
    return true;
  }

  /// Most bytes the Java heap may give for one echoed message after warm-up.
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
