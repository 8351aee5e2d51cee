package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static sluice.sys.Errno.EMFILE;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.engine.Backend;
import sluice.loop.server.Engines;
import sluice.sys.EventFd;
import sluice.sys.ResourceLimit;
import sluice.sys.SysException;
import sluice.testkit.EngineContractRig.Event;

/// Tests of accepting when the process has no descriptor left: the real limit is lowered, and the
/// remaining descriptors are used up.
@Timeout(240)
class DescriptorLimitTest {
  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void acceptEndsWithEmfileAndGoesOnWhenDescriptorsAreBack(Backend backend) throws Exception {
    Engines.Choice choice = available(backend);
    LoadedClasses.withAllOf(LoadedClasses.class);
    for (int attempt = 0; !ranOut(choice); attempt++) {
      assertThat(attempt).as("descriptors come back again and again").isLessThan(20);
    }
  }

  /// Runs out of descriptors.
  ///
  /// @return false if another thread freed a descriptor that the accept then used
  private static boolean ranOut(Engines.Choice choice) throws Exception {
    EngineContractRig rig =
        new EngineContractRig(config -> Engines.open(choice, config), new EngineContractSockets());
    try {
      return run(rig);
    } finally {
      rig.close();
    }
  }

  private static Engines.Choice available(Backend backend) {
    try {
      return Engines.choose(backend);
    } catch (IOException e) {
      return abort("no " + backend + " here: " + e.getMessage());
    }
  }

  private static boolean run(EngineContractRig rig) throws IOException {
    var first = rig.pair(); // everything this test runs through is open by now
    rig.stopAccepting(); // an armed accept of io_uring keeps the limit it was armed under
    rig.dial();
    rig.dial();
    long limit = ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft();
    List<EventFd> hogs = new ArrayList<>();
    try {
      ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, first.socket() + 64L);
      useUp(hogs);
      rig.accept();
      Event full = rig.awaitAccept();
      if (full.result() >= 0) {
        return false;
      }
      assertThat(full.result()).isEqualTo(-EMFILE);
      assertThat(full.more()).isFalse();
    } finally {
      hogs.forEach(EventFd::close);
      ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, limit);
    }
    rig.accept();
    assertThat(rig.awaitAccept().result()).isNotNegative();
    assertThat(rig.awaitAccept().result()).isNotNegative();
    return true;
  }

  private static void useUp(List<EventFd> hogs) {
    try {
      while (hogs.size() < 1000) {
        hogs.add(EventFd.open(true));
      }
    } catch (SysException e) {
      assertThat(e.errno()).isEqualTo(EMFILE);
    }
  }
}
