package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import sluice.testbase.Child;

/// Tests the scripts of `sluice completion` in their shells, and the model that they are made from.
@Timeout(120)
final class CompletionTest {
  private final Path root = SourceTree.find().root();
  @TempDir Path directory = Path.of(".");

  @ParameterizedTest
  @CsvSource({
    "ser, serve",
    "serve --po, --port",
    "serve --backend io, io_uring",
    "fs mk, mkfs",
    "fs mkfs --inode, --inode-ratio",
    "run --comp, --compare",
    "test --qu, --quick",
    "bench poll, poller",
    "example gree, greeting",
    "completion --he, --help"
  })
  void bashCompletes(String typed, String expected) throws Exception {
    Path script = Files.writeString(directory.resolve("sluice.bash"), bash());
    String words = "sluice " + typed;
    int last = words.split(" ", -1).length - 1;
    String ask =
        "source "
            + script
            + "; COMP_WORDS=("
            + words
            + "); COMP_CWORD="
            + last
            + "; COMP_LINE='"
            + words
            + "'; COMP_POINT=${#COMP_LINE}; _complete_sluice; printf '%s\\n' \"${COMPREPLY[@]}\"";
    Child result = Child.run(new ProcessBuilder("bash", "-c", ask));
    assertThat(result.output().lines().map(String::strip)).as(result.output()).contains(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "sluice ser, serve",
    "sluice serve --po, --port",
    "sluice serve --backend io, io_uring",
    "sluice fs mk, mkfs",
    "sluice fs mkfs --inode, --inode-ratio",
    "sluice bench poll, poller"
  })
  void fishCompletes(String typed, String expected) throws Exception {
    assumeTrue(isThere("fish"), "fish is missing: apt-get install fish");
    Path script =
        Files.writeString(
            directory.resolve("sluice.fish"), FishCompletion.of("sluice", CommandModel.all()));
    ProcessBuilder fish =
        new ProcessBuilder(
            "fish", "--no-config", "-c", "source " + script + "; complete -C '" + typed + "'");
    fish.environment().put("HOME", directory.toString());
    Child result = Child.run(fish);
    assertThat(result.output().lines().map(line -> line.replaceAll("\t.*", "")))
        .as(result.output())
        .contains(expected);
  }

  @Test
  void zshTakesTheScriptOfBash() throws Exception {
    assumeTrue(isThere("zsh"), "zsh is missing: apt-get install zsh");
    Path script = Files.writeString(directory.resolve("sluice.bash"), bash());
    ProcessBuilder zsh =
        new ProcessBuilder(
            "zsh", "-f", "-c", "source " + script + " && print -r -- ${_comps[sluice]}");
    zsh.environment().put("HOME", directory.toString());
    zsh.environment().put("ZDOTDIR", directory.toString());
    assertThat(Child.run(zsh).output()).contains("_complete_sluice");
  }

  private static String bash() {
    return AutoComplete.bash("sluice", CommandModel.all());
  }

  private static boolean isThere(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
        .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
  }

  @Test
  void theModelHasWhatTheLauncherHas() throws IOException {
    String launcher = Files.readString(root.resolve("sluice"));
    assertThat(CommandModel.all().getSubcommands().keySet())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(variable(launcher, "COMMANDS").split(" ", -1))
                .filter(name -> !name.equals("help"))
                .toList());
    assertThat(CommandModel.BENCHES).containsExactly(variable(launcher, "BENCHES").split(" ", -1));
    try (Stream<Path> sources =
        Files.find(
            root.resolve("examples"), 2, (file, status) -> file.toString().endsWith(".java"))) {
      assertThat(new TreeSet<>(CommandModel.EXAMPLES))
          .isEqualTo(
              sources
                  .map(file -> root.relativize(file).getName(1).toString())
                  .collect(Collectors.toCollection(TreeSet::new)));
    }
    assertThat(options("serve")).containsAll(named(ServeOptions.USAGE));
    for (String command : List.of("run", "test", "package")) {
      List<String> own = named(Files.readString(root.resolve("docs/help/" + command + ".txt")));
      assertThat(options(command)).as(command).containsAll(own);
    }
  }

  private static String variable(String launcher, String name) {
    var line = Pattern.compile("(?m)^" + name + "=\"(.*)\"$").matcher(launcher);
    assertThat(line.find()).as(name).isTrue();
    return line.group(1);
  }

  private static List<String> options(String command) {
    CommandLine line = Objects.requireNonNull(CommandModel.all().getSubcommands().get(command));
    return line.getCommandSpec().options().stream()
        .map(OptionSpec::names)
        .flatMap(Arrays::stream)
        .toList();
  }

  /// Returns the options that a help text explains, each at the start of a line.
  private static List<String> named(String help) {
    return Pattern.compile("(?m)^  (--[a-z-]+)")
        .matcher(help)
        .results()
        .map(each -> each.group(1))
        .toList();
  }

  @Test
  void eachExampleSaysWhatItShows() throws Exception {
    String list =
        Child.run(new ProcessBuilder(root.resolve("sluice").toString(), "example")).output();
    for (String each : CommandModel.EXAMPLES) {
      assertThat(list).containsPattern("(?m)^  " + each + " +[A-Za-z][^\\n]{10,}");
    }
  }

  /// Checks that the ten most used options come first and that each option is in a group.
  @Test
  void theHelpOfNfsHasGroups() {
    String help = NfsCommand.line().getUsageMessage();
    String first = help.split("The ten most used:\n", -1)[1].split("\n\n", -1)[0];
    assertThat(listed(first)).hasSize(10);
    assertThat(listed(help))
        .as("each option is listed once")
        .containsExactlyInAnyOrderElementsOf(
            NfsCommand.line().getCommandSpec().options().stream()
                .map(each -> each.longestName())
                .toList());
  }

  private static List<String> listed(String help) {
    return Pattern.compile("(?m)^ +(?:-., )?(--[a-z-]+)")
        .matcher(help)
        .results()
        .map(each -> each.group(1))
        .toList();
  }

  @Test
  void theHelpOfServeHasGroups() {
    String first = ServeOptions.USAGE.split("\n\n", -1)[1];
    assertThat(first).startsWith("The ten most used:\n");
    assertThat(named(first)).hasSize(10);
    for (String group : ServeOptions.USAGE.split("\n\n", -1)) {
      assertThat(named(group).size()).as(group).isLessThanOrEqualTo(10);
    }
  }
}
