package sluice.testbase.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Await;

/// Which threads of which processes are told when a run takes too long.
@Timeout(120)
final class TestThreadsTest {
  @TempDir Path root;

  /// What a test process does that hangs.
  public static final class Hanging {
    private Hanging() {}

    public static void main(String[] arguments) throws IOException {
      System.out.println("hangs");
      int _ = System.in.read();
    }
  }

  private String told() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TestThreads.print(root, new PrintStream(out, true, StandardCharsets.UTF_8));
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void onlyThreadsInOurCodeAreTold() {
    String dump =
        """
        2026-01-01 00:00:00
        Full thread dump

        "main" #1
          java.lang.Thread.State: RUNNABLE
        \tat sluice.loop.Loop.turn(Loop.java:1)

        "Reference Handler" #9
        \tat java.lang.ref.Reference.wait(Reference.java:1)
        """;
    assertThat(TestThreads.ours(dump))
        .containsExactly(
            "\"main\" #1",
            "  java.lang.Thread.State: RUNNABLE",
            "\tat sluice.loop.Loop.turn(Loop.java:1)");
    String many = "\"t\" #1\n\tat sluice.A.a(A.java:1)\n\n".repeat(1000);
    assertThat(TestThreads.ours(many)).hasSize(200);
  }

  @Test
  void theTestProcessesOfTheTreeAreFound() throws Exception {
    assertThat(told()).isEqualTo("sluice: no test process was running when the time was over\n");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process hanging =
        new ProcessBuilder(
                java,
                "-Dmark=" + root + "/surefire",
                "-cp",
                classes().toString(),
                Hanging.class.getName())
            .start();
    try {
      assertThat(hanging.inputReader().readLine()).isEqualTo("hangs");
      assertThat(told())
          .contains("sluice: process " + hanging.pid() + " when the time was over:")
          .contains("at " + Hanging.class.getName() + ".main(")
          .doesNotContain("Reference Handler");
    } finally {
      hanging.getOutputStream().close();
      Await.end(hanging);
    }
  }

  private static Path classes() throws Exception {
    return Path.of(Hanging.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
