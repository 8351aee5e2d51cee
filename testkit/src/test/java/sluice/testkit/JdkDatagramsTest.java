package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import sluice.loop.Loop;
import sluice.loop.datagrams.Datagrams;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;

/// Checks that the `jdk` engine refuses to wait for descriptors, with a reason.
class JdkDatagramsTest {
  @Test
  void isRefusedWithTheReason() throws IOException {
    Engine engine = KernelEngines.open(Backend.JDK, new EngineConfig(64, 64, 64));
    try (Loop loop =
        new Loop("datagrams", engine, LeaseContractRig.PATIENT, System::nanoTime, Runnable::run)) {
      InetSocketAddress any = EngineContractRig.anyPort("127.0.0.1");
      assertThatThrownBy(() -> Datagrams.open(loop, any, (port, datagram, from) -> {}))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("Fix: another backend than jdk");
    }
  }
}
