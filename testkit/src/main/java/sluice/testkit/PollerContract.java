package sluice.testkit;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/// What a poller does, whatever is below: one suite, run on poll, epoll, io_uring and the simulated
/// kernel. The test's thread awaits.
///
/// The themes are interfaces, to keep them readable; a subclass for one backend gets them all.
@Timeout(120)
public abstract class PollerContract
    implements PollerContractWaits,
        PollerContractChanges,
        PollerContractErrors,
        PollerContractLife {
  private @Nullable PollerContractRig rig;

  /// A world of its own for each test.
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
