package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.sys.Errno.ENOSPC;
import static sluice.testkit.PollerContractRig.IN;
import static sluice.testkit.PollerContractRig.assertRefused;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.loop.poller.Poller;
import sluice.testkit.sim.SimWorld;

/// The contract on the simulated kernel, without faults.
class PollerSimContractTest extends PollerContract {
  @Override
  protected PollerContractWorld world() {
    SimWorld world = new SimWorld(Long.getLong("sluice.seed", 1));
    world.faults().withBudget(0);
    return new PollerContractSim(world);
  }

  @Test
  void sixtyFiveThousandEntriesAndOneMore() throws IOException {
    Poller poller = rig().poller;
    List<PollerContractWorld.Subject> subjects = new ArrayList<>();
    for (int i = 0; i < 65_535; i++) {
      subjects.add(rig().world.subject());
      poller.add(subjects.getLast().fd(), IN);
    }
    var more = rig().world.subject();
    assertRefused(ENOSPC, "Poller.add", () -> poller.add(more.fd(), IN));
    rig().assertSilent();
    for (int i = 0; i < subjects.size(); i += 5_000) {
      subjects.get(i).readable(true);
    }
    assertThat(rig().await()).hasSize(14);
    poller.remove(poller.handleOf(subjects.getFirst().fd()));
    poller.add(more.fd(), IN);
    assertThat(rig().await()).hasSize(13);
  }
}
