package sluice.host.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ShellWordTest {
  @ParameterizedTest
  @ValueSource(strings = {"/var/lib/disk.img", "a-b_c.d", "server:/export,ro", "50%+1=@"})
  void whatAShellLeavesAloneStaysAsItIs(String text) {
    assertThat(ShellWord.of(text)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "my disk.img",
        "it's",
        "'",
        "a;rm b",
        "$HOME",
        "`id`",
        "~",
        "*",
        "a\\b",
        "a\nb",
        "\"x\"",
        "[::1]:/x",
        "!1",
        "#x"
      })
  void aShellReadsItAsOneWord(String text) throws Exception {
    Process shell =
        new ProcessBuilder(
                "sh", "-c", "set -- " + ShellWord.of(text) + "; printf '%s|%s' $# \"$1\"")
            .redirectErrorStream(true)
            .start();
    assertThat(new String(shell.getInputStream().readAllBytes(), UTF_8)).isEqualTo("1|" + text);
    assertThat(shell.waitFor()).isZero();
  }

  @Test
  void aNameIsNoOption() {
    assertThat(ShellWord.of(Path.of("-l"))).isEqualTo("./-l");
    assertThat(ShellWord.of(Path.of("-a b"))).isEqualTo("'./-a b'");
    assertThat(ShellWord.of("-l")).isEqualTo("-l");
  }
}
