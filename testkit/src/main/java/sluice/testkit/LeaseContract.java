package sluice.testkit;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// No holder touches memory that has become another's, whatever kernel mechanism is below: not a
/// device whose operation is in flight, not Java code that was revoked, not a peer's next bytes.
/// The test's thread owns engine and loop.
///
/// The themes are interfaces, to keep them readable; a subclass for one engine gets them all.
@Timeout(240)
public abstract class LeaseContract
    implements LeaseContractDevice,
        LeaseContractPieces,
        LeaseContractRetain,
        LeaseContractPressure {
  private EngineContractRig rig = new EngineContractRig(this::open, new EngineContractSockets());
  private LeaseContractRig loops = new LeaseContractRig(this::open, new EngineContractSockets());

  /// Opens the engine under test.
  protected abstract Engine open(EngineConfig config) throws IOException;

  /// The other ends of the wire; plain sockets unless overridden.
  protected EngineContractPeers peers() {
    return new EngineContractSockets();
  }

  @Override
  public final EngineContractRig rig() {
    return rig;
  }

  @Override
  public final LeaseContractRig loops() {
    return loops;
  }

  @BeforeEach
  void openRigs() {
    EngineContractPeers peers = peers();
    rig = new EngineContractRig(this::open, peers);
    loops = new LeaseContractRig(this::open, peers);
  }

  @AfterEach
  void closeRigs() throws Exception {
    rig.close();
    loops.close();
  }
}
