package sluice.loop.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.HandlerGuard;
import sluice.loop.Interruptlet;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.datagrams.DatagramInterruptlet;
import sluice.loop.datagrams.DatagramInterruptlets;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.NanoClock;

@Timeout(60)
final class WarmUpTest {
  private static final byte[] SAMPLE = "sample".getBytes(US_ASCII);

  private final List<String> seen = new ArrayList<>();

  private DatagramInterruptlet noting(boolean verdict) {
    return (datagram, reply) -> {
      seen.add(datagram.latin1(0, datagram.length()));
      reply.put(SAMPLE);
      return verdict;
    };
  }

  @Test
  void datagramsWarmTheirInterruptlet() throws Exception {
    try (Loop loop =
        new Loop(
            "test",
            new InProcess().open(new EngineConfig(16, 4096, 16)),
            LoopConfig.DEFAULT,
            NanoClock.SYSTEM,
            Runnable::run)) {
      DatagramInterruptlets port = new DatagramInterruptlets(loop, (datagram, from) -> SAMPLE);
      HandlerGuard guard =
          WarmUp.admit(port, "echo", () -> noting(true), Duration.ofSeconds(1), SAMPLE);
      assertThat(guard.name()).isEqualTo("echo");
      assertThat(guard.times().count()).as("runs for clients").isZero();
      assertThat(seen).hasSizeGreaterThan(100).containsOnly("sample");
      assertThat(port.receivedBytes()).isZero();
    }
  }

  @Test
  void oneThatPassesEachDatagramIsWarmed() throws Exception {
    WarmUp.Report report = WarmUp.run(() -> noting(Interruptlet.PASS), SAMPLE);
    assertThat(report.runs()).isEqualTo(seen.size()).isGreaterThan(100);
  }

  @Test
  void oneThatFailsIsRefusedAtOnce() {
    DatagramInterruptlet failing =
        (datagram, reply) -> {
          seen.add("run");
          throw new IllegalStateException("broken");
        };
    assertThatThrownBy(() -> WarmUp.run(() -> failing, SAMPLE))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("the sample makes the handler fail. Why: ");
    assertThat(seen).hasSize(1);
  }
}
