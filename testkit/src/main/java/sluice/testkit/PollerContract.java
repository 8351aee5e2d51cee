package sluice.testkit;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/// The behaviour of a poller, for every backend: one suite that runs on poll, epoll, io_uring and
/// the simulated kernel. The test's thread waits.
///
/// The suite is divided by theme into interfaces, to keep it readable; a subclass for one backend
/// inherits all of them.
@Timeout(120)
public abstract class PollerContract
    implements PollerContractWaits,
        PollerContractChanges,
        PollerContractErrors,
        PollerContractLife {
  private @Nullable PollerContractRig rig;

  /// Creates the world of one test.
  protected abstract PollerContractWorld world();

  @Override
  public final PollerContractRig rig() {
    if (rig == null) {
      throw new IllegalStateException("used outside of a test");
    }
    return rig;
  }

  @BeforeEach
  void openRig() throws IOException {
    rig = new PollerContractRig(world(), 65_535);
  }

  @AfterEach
  void closeRig() throws Exception {
    rig().world.close();
  }
}
