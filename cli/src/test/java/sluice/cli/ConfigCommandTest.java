package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class ConfigCommandTest {
  @TempDir Path directory = Path.of(".");

  private Path write(String text) throws Exception {
    Files.createDirectories(directory.resolve("public"));
    return Files.writeString(directory.resolve("site.toml"), text);
  }

  @Test
  void aGoodFilePassesAndAWrongOneIsRefused() throws Exception {
    Path good = write("directory = \"public\"\n");
    assertThat(Commands.run("config", "check", good.toString())).isZero();
    assertThat(Commands.run("config", "check")).isEqualTo(2);
    Path wrong = write("directry = \"public\"\n");
    assertThat(Commands.run("config", "check", wrong.toString())).isEqualTo(1);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream print = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    assertThat(Serve.run(List.of("--config", wrong.toString()), print, print)).isEqualTo(2);
    assertThat(bytes.toString(StandardCharsets.UTF_8)).contains(":1: unknown key directry");
  }

  @Test
  void aRuleThatNamesNoFileIsAWarning() throws Exception {
    Path file = write("directory = \"public\"\n[[access]]\npath = \"/none\"\ndeny = [\"all\"]\n");
    assertThat(Commands.run("config", "check", file.toString())).isZero();
  }

  @Test
  void optionsBesideAFileCountBeforeIt() throws Exception {
    Path file = write("directory = \"public\"\n[server]\nloops = 1\n");
    ServeOptions options =
        ServeOptions.parse(List.of("--config", file.toString(), "--loops=3", "--port", "0"));
    assertThat(options.site.check().server().loops()).isEqualTo(3);
  }
}
