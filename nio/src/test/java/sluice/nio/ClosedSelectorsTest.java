package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;

/// Closing a selector gives its native memory back, without the help of the garbage collector.
@Timeout(240)
final class ClosedSelectorsTest {
  private static final int COUNT = 5000;

  /// Before memory was freed on closing, a selector left 13 KiB, and one with a ring 18 more.
  private static final int MOST_KIB = 4 * COUNT;

  @Test
  void readinessFreesItsMemory() throws Exception {
    closeMany("-Dsluice.nio.engine=readiness");
  }

  @Test
  void completionFreesItsMemory() throws Exception {
    String missing = CompletionEngine.unavailable();
    assumeTrue(missing == null, () -> "no io_uring here: " + missing);
    closeMany("-Dsluice.nio.engine=completion");
  }

  @Test
  void completionWithoutRingsFreesItsMemory() throws Exception {
    closeMany("-Dsluice.nio.engine=auto", "-Dsluice.nio.memory=0");
  }

  private static void closeMany(String... properties) throws Exception {
    List<String> options =
        new ArrayList<>(
            List.of(
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:+UseEpsilonGC",
                "-XX:+AlwaysPreTouch",
                "-Xms600m",
                "-Xmx600m",
                "-D" + Agent.PROVIDER + "=" + SluiceSelectorProvider.class.getName()));
    options.addAll(List.of(properties));
    if (properties[0].endsWith("readiness")) {
      options.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
    }
    String[] limits = {String.valueOf(COUNT), String.valueOf(MOST_KIB)};
    Process process = ChildJvm.of(options, ClosedSelectors.class, limits).start();
    assertThat(Await.end(process)).isZero();
  }
}
