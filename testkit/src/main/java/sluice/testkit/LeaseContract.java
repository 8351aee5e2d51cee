package sluice.testkit;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// The safety of leased memory, for every engine. No holder accesses memory that has a new owner:
/// not a device with an operation in flight, not Java code whose access was revoked, not the next
/// bytes of a peer. The test's thread owns engine and loop.
///
/// The suite is divided by theme into interfaces, to keep it readable; a subclass for one engine
/// inherits all of them.
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

  /// Returns the peers; plain sockets unless overridden.
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
