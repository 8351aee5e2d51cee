package sluice.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Child;

/// The examples that run libraries of other people in domains, on those of Maven Central.
@Timeout(300)
class PluginExamplesTest {
  private static List<String> java(String... words) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-XX:+UseCountedLoopSafepoints",
            "-XX:LoopStripMiningIter=1000",
            "--enable-native-access=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "-cp",
            Child.classPath()));
    command.addAll(List.of(words));
    return command;
  }

  private static String output(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(text).isZero();
      return text;
    } finally {
      process.destroyForcibly();
    }
  }

  private static String source(String file) {
    return Path.of("..", "examples").resolve(file).toString();
  }

  @Test
  void librariesAreBudgetedKilledAndReplacedBesideStaticFiles() throws Exception {
    List<String> command = java("-Dsearch.seconds=1", source("search/Search.java"));
    command.addAll(java("sluice.cli.Main"));
    assertThat(output(command))
        .contains("good libraries", "hostile versions, held", "killed by", "replaced by")
        .contains("all stages were as they should be");
  }

  @Test
  void aPluginOfPf4jRunsInADomainUnmodified() throws Exception {
    assertThat(output(java(source("pf4j/DomainPluginManager.java"))))
        .contains("plug-in started", "greeted: hello world")
        .contains("the caller of a looping extension got: sluice.domain.DomainEnded")
        .contains("no thread is left: true")
        .contains("greeted again: hello world");
  }
}
