package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.loop.engine.Engine;
import sluice.memory.block.Block;
import sluice.net.StackConfig;
import sluice.sys.Errno;
import sluice.testbase.Await;

/// Runs [EndsOfVis] on each device, in a JVM whose virtual threads share one carrier.
@Timeout(240)
final class ViEndTest {
  private static final List<String> DEVICES = List.of("local", "ring", "xdp", "ofi-shm", "ofi-tcp");
  private static final List<String> SCENARIOS = List.of("close", "reply", "wait", "flood");

  static Stream<Arguments> all() {
    return DEVICES.stream()
        .flatMap(device -> SCENARIOS.stream().map(scenario -> Arguments.of(device, scenario)));
  }

  @ParameterizedTest
  @MethodSource("all")
  void theEndOfAViOnOneCarrier(String device, String scenario) throws Exception {
    String why = Nic.skipped().get(device);
    assumeTrue(device.equals("xdp") || (why != null && why.isEmpty()), device + ": " + why);
    assertThat(run(1, device, scenario)).isZero();
  }

  /// As it was found: more carriers than one, all of which may be at the end of a VI.
  @Test
  void theEndOfAViOnTwoCarriers() throws Exception {
    assertThat(run(2, "xdp", "close")).isZero();
  }

  private static int run(int carriers, String device, String scenario) throws Exception {
    String classes =
        Stream.of(
                Vi.class,
                EndsOfVis.class,
                Block.class,
                Errno.class,
                Engine.class,
                StackConfig.class,
                Await.class)
            .map(type -> type.getProtectionDomain().getCodeSource().getLocation().getPath())
            .distinct()
            .collect(Collectors.joining(":"));
    Process program =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-Djdk.virtualThreadScheduler.parallelism=" + carriers,
                "-cp",
                // Where Vi was patched, its classes and the tests are in two directories.
                classes + ":" + classes.replace("/classes", "/test-classes"),
                EndsOfVis.class.getName(),
                device,
                scenario)
            .inheritIO()
            .start();
    if (!program.waitFor(Await.SECONDS + 20, TimeUnit.SECONDS)) {
      program.destroyForcibly();
      throw new AssertionError(scenario + " over " + device + " does not end");
    }
    return program.exitValue();
  }
}
