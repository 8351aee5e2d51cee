package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.testbase.Child;

/// Checks each row of the catalogue in `docs/errors.md` against the actual message, which must
/// contain a fix.
@Timeout(120)
final class ErrorCatalogueTest {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+)` \\| (.+?) \\| (.+?) \\|$");

  /// The commands whose arguments the launcher reads itself.
  private static final Set<String> OF_LAUNCHER =
      Set.of("run", "test", "example", "bench", "package", "sreve");

  private static final Path ROOT = SourceTree.find().root();

  record Row(String command, String message, String fix) {}

  static Stream<Row> rows() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/errors.md"));
    Matcher row = ROW.matcher(page.substring(page.indexOf("| command | says | Fix: |")));
    List<Row> rows = new ArrayList<>();
    while (row.find()) {
      rows.add(new Row(row.group(1), row.group(2), row.group(3)));
    }
    return rows.stream();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void theCommandSaysIt(Row row) throws Exception {
    List<String> words = List.of(row.command.split(" ", -1));
    String said = OF_LAUNCHER.contains(words.getFirst()) ? byLauncher(words) : here(words);
    assertThat(said).contains(row.message).contains("Fix: " + row.fix);
    assertThat(said.indexOf("Fix: " + row.fix)).isGreaterThan(said.indexOf(row.message));
  }

  @Test
  void allCommandsHaveARow() throws IOException {
    List<String> first = rows().map(row -> row.command.split(" ", -1)[0]).toList();
    assertThat(first)
        .hasSizeGreaterThan(45)
        .containsAll(
            Commands.commandLine().getSubcommands().keySet().stream()
                .filter(name -> !name.equals("help"))
                .toList())
        .contains("serve", "run", "test", "example", "bench");
    assertThat(first.stream().filter(name -> Collections.frequency(first, name) > 20)).isEmpty();
  }

  /// Checks that each message with which the launcher ends says what to do. The message about a
  /// failed build is exempt, since the errors of the build are printed above it.
  @Test
  void everyRefusalOfTheLauncherHasAFix() throws IOException {
    String text = Files.readString(ROOT.resolve("sluice")).replaceAll("\\\\\n\\s*", " ");
    List<String> without = new ArrayList<>();
    for (String line : text.lines().toList()) {
      boolean refuses = line.matches(".*\\b(die|run_wrong|test_wrong) [\"$].*");
      boolean isPlain =
          line.contains("Fix: ") || line.contains("Known: ") || line.contains(", see ");
      if (refuses && !isPlain && !line.contains("all of its output is in")) {
        without.add(line.strip());
      }
    }
    assertThat(without).isEmpty();
  }

  private static String byLauncher(List<String> words) throws Exception {
    List<String> command = new ArrayList<>(List.of("sh", ROOT.resolve("sluice").toString()));
    command.addAll(words);
    Child child = Child.run(new ProcessBuilder(command));
    assertThat(child.exit()).as(child.output()).isEqualTo(2);
    return child.output();
  }

  private static String here(List<String> words) {
    PrintStream before = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertThat(Main.run(words.toArray(new String[0]))).isBetween(1, 8);
    } finally {
      System.setErr(before);
    }
    return said.toString(StandardCharsets.UTF_8);
  }
}
