package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.cli.console.Version;
import sluice.host.text.Nearest;

/// Tests the suggestions for misspelt commands and options. [LauncherTest] has the suggestions of
/// the launcher, and module `host` has the ones for keys in files.
final class SuggestionsTest {
  @ParameterizedTest
  @CsvSource({
    "fs mkfs --szie 1G a.img, unknown option: --szie. Fix: write --size",
    "fs mkf a.img, there is no command 'mkf'. Fix: write mkfs",
    "domain chek a.jar, there is no command 'chek'. Fix: write check",
    "nfs --reed-only a.img, unknown option: --reed-only. Fix: write --read-only",
    "doctor --jsn=x, unknown option: --jsn. Fix: write --json",
    "completion bahs, known are bash. Fix: write bash",
    "doctor --completely-else, unknown option: --completely-else"
  })
  void ofPicocli(String words, String expected) {
    PrintStream before = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertThat(Main.run(words.split(" ", -1))).isEqualTo(2);
    } finally {
      System.setErr(before);
    }
    String text = said.toString(StandardCharsets.UTF_8).replace("bash, zsh and fish", "bash");
    assertThat(text).contains(expected);
    assertThat(text.contains("Fix:")).isEqualTo(expected.contains("Fix:"));
  }

  @Test
  void ofServe() {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);
    assertThat(Serve.run(List.of("--prot", "80", "x"), System.out, err)).isEqualTo(2);
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("unknown option: --prot. Fix: write --port");
  }

  @Test
  void aWordThatIsNearNoneHasNone() {
    List<String> known = List.of("serve", "up", "--port");
    assertThat(Nearest.of("sreve", known)).isEqualTo("serve");
    assertThat(Nearest.of("SERVE", known)).isEqualTo("serve");
    assertThat(Nearest.of("port", known)).isEqualTo("--port");
    assertThat(Nearest.of("ab", known)).isNull();
    assertThat(Nearest.of("", known)).isNull();
    assertThat(Nearest.of("banana", known)).isNull();
  }

  @Test
  void theVersionNamesJavaAndKernel() {
    String[] lines = new Version().getVersion();
    assertThat(lines[0]).matches("sluice \\S+, commit \\S+");
    assertThat(lines[1]).startsWith("Java " + Runtime.version());
    assertThat(lines[2]).contains(System.getProperty("os.version"));
  }
}
