package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import sluice.cli.SourceTree.SourceFile;
import sluice.cli.compare.CompareCommand;
import sluice.testbase.DocumentedCommand;

/// Checks that each command shown on a page exists and has the options the page gives it. A test in
/// module `bench` checks `sluice bench`.
final class DocumentedCommandsTest {
  private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*");

  /// Options of other programs that the guides name in backquotes: the JVM, docker, ip(8) and git.
  private static final Set<String> OF_OTHERS =
      Set.of(
          "--add-exports",
          "--add-modules",
          "--add-opens",
          "--cap-add",
          "--cap-drop",
          "--enable-native-access",
          "--latency",
          "--limit-modules",
          "--read-only",
          "--security-opt",
          "--ulimit");

  private final Path root = SourceTree.find().root();

  @Test
  void commandsAndOptionsExist() throws IOException {
    List<DocumentedCommand> commands = DocumentedCommand.below(root);
    assertThat(commands).hasSizeGreaterThan(100);
    List<String> wrong = new ArrayList<>();
    for (DocumentedCommand command : commands) {
      boolean isOnPath = command.isWhole() && command.name().equals("sluice");
      String why = isOnPath ? "is not on the PATH: ./sluice" : whatIsWrong(command);
      if (!why.isEmpty()) {
        wrong.add(command.place() + ": sluice " + String.join(" ", command.words()) + ": " + why);
      }
    }
    assertThat(wrong).isEmpty();
  }

  /// Checks the options that guides name without a command: each must belong to some command.
  @Test
  void optionsInTheTextExist() throws IOException {
    Set<String> known = new TreeSet<>(OF_OTHERS);
    known.addAll(options(Commands.commandLine()));
    known.addAll(options(new CommandLine(new CompareCommand())));
    known.addAll(named(ServeOptions.USAGE));
    for (String page : List.of("sluice", "run", "test", "package", "dev")) {
      known.addAll(named(Files.readString(root.resolve("docs/help/" + page + ".txt"))));
    }
    known.addAll(named(read("packaging/publish.sh")));
    known.addAll(named(read("bench/src/main/java/sluice/bench/run/Options.java")));
    known.addAll(named(read("bench/src/main/java/sluice/bench/poller/PollerDemoOptions.java")));
    List<String> wrong = new ArrayList<>();
    Pattern quoted = Pattern.compile("`(--[^`]*)`");
    for (Path page : guides()) {
      Matcher text = quoted.matcher(Files.readString(page));
      while (text.find()) {
        named(text.group(1)).stream()
            .filter(option -> !known.contains(option))
            .forEach(option -> wrong.add(root.relativize(page) + ": " + option));
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void propertiesAndFilesInTheTextExist() throws IOException {
    List<SourceFile> main =
        SourceTree.find().files().stream().filter(file -> file.isJava() && file.isMain()).toList();
    Pattern property = Pattern.compile("-D(sluice(?:\\.\\w+)+)");
    Pattern path = Pattern.compile("`((?:\\w[\\w-]*/)+[\\w-]+\\.(?:java|c|h|txt|sh))`");
    List<String> wrong = new ArrayList<>();
    for (Path page : guides()) {
      String text = Files.readString(page);
      Matcher named = property.matcher(text);
      while (named.find()) {
        String quoted = '"' + named.group(1) + '"';
        if (main.stream().noneMatch(file -> file.text().contains(quoted))) {
          wrong.add(root.relativize(page) + ": " + named.group());
        }
      }
      Matcher file = path.matcher(text);
      while (file.find()) {
        if (!Files.exists(root.resolve(file.group(1)))) {
          wrong.add(root.relativize(page) + ": no file " + file.group(1));
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /// Checks that values have names such as `--size=BYTES`. Picocli would otherwise name them after
  /// the field: `--size=<sizeText>`.
  @Test
  void valuesOfOptionsHaveNames() {
    List<String> unnamed = new ArrayList<>();
    unnamed(Commands.commandLine(), unnamed);
    unnamed(new CommandLine(new CompareCommand()), unnamed);
    assertThat(unnamed).isEmpty();
  }

  private static void unnamed(CommandLine command, List<String> into) {
    for (OptionSpec option : command.getCommandSpec().options()) {
      if (!option.hidden() && option.arity().max() > 0 && option.paramLabel().startsWith("<")) {
        into.add(command.getCommandSpec().qualifiedName() + " " + option.longestName());
      }
    }
    command.getSubcommands().values().forEach(each -> unnamed(each, into));
  }

  @Test
  void aWrongCommandIsFound() {
    assertThat(whatIsWrong("serve site --prot 80")).contains("--prot");
    assertThat(whatIsWrong("sreve site")).contains("no command");
    assertThat(whatIsWrong("fs mount disk.img")).contains("'DIR'");
    assertThat(whatIsWrong("fs mount disk.img /mnt --fast")).contains("--fast");
    assertThat(whatIsWrong("run --engine jdk app.jar")).contains("--engine");
    assertThat(whatIsWrong("test --fast")).contains("--fast");
    assertThat(whatIsWrong("example nothing")).contains("no example");
    assertThat(whatIsWrong("vi pingpong --size 4K")).isEmpty();
  }

  private String whatIsWrong(String words) {
    return whatIsWrong(
        new DocumentedCommand("a.md:1", true, "./sluice", List.of(words.split(" ", -1))));
  }

  private String whatIsWrong(DocumentedCommand command) {
    List<String> words = new ArrayList<>(command.words());
    words.remove("-v");
    String name = words.isEmpty() ? "" : words.removeFirst();
    if (name.startsWith("-")) {
      return "";
    }
    return switch (name) {
      case "COMMAND", "…", "bench", "help", "" -> "";
      case "serve" -> missing(words, named(ServeOptions.USAGE));
      case "run" -> ofRun(words);
      case "test" -> missing(words, named(read("docs/help/test.txt")));
      case "package" -> missing(words, named(read("docs/help/package.txt")));
      case "prepare" -> missing(words, Set.of());
      case "example" -> ofExample(words);
      default -> ofParser(name, words, command.isWhole());
    };
  }

  private static String missing(List<String> words, Set<String> known) {
    for (String word : words) {
      if (word.startsWith("--")
          && !word.equals("--help")
          && !known.contains(word.replaceAll("[=\\]].*", ""))) {
        return "no option " + word;
      }
    }
    return "";
  }

  /// Checks the options of the launcher and of `--compare`, up to the application's arguments.
  private String ofRun(List<String> words) {
    Set<String> known = named(read("sluice"));
    known.addAll(options(new CommandLine(new CompareCommand())));
    int end = 0;
    while (end < words.size() && !words.get(end).endsWith(".jar")) {
      end++;
    }
    return missing(words.subList(0, end), known);
  }

  private String ofExample(List<String> words) {
    if (words.isEmpty() || words.getFirst().equals("NAME")) {
      return "";
    }
    return Files.isDirectory(root.resolve("examples").resolve(words.getFirst()))
        ? ""
        : "no example " + words.getFirst();
  }

  /// Checks a picocli command. Alternative names, as in `fs ls|cat`, are each looked up. A whole
  /// command is parsed.
  private static String ofParser(String name, List<String> words, boolean isWhole) {
    CommandLine command = Commands.commandLine().getSubcommands().get(name);
    if (command == null) {
      return "no command " + name;
    }
    List<String> rest = words;
    if (!command.getSubcommands().isEmpty() && !words.isEmpty()) {
      for (String each : words.getFirst().split("\\|", -1)) {
        if (!command.getSubcommands().containsKey(each) && !each.matches("[-…].*")) {
          return "no command " + name + " " + each;
        }
      }
      String first = words.getFirst().replaceAll("\\|.*", "");
      command = command.getSubcommands().getOrDefault(first, command);
      rest = words.subList(1, words.size());
    }
    if (!isWhole) {
      List<String> plain = rest.stream().map(word -> word.replaceAll("[\\[\\]]", "")).toList();
      return missing(plain, options(command));
    }
    List<String> all = new ArrayList<>(List.of(name));
    all.addAll(words);
    try {
      Commands.commandLine().parseArgs(all.toArray(String[]::new));
      return "";
    } catch (ParameterException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /// Returns the options of a command and all of its subcommands.
  private static Set<String> options(CommandLine command) {
    Set<String> names = new TreeSet<>(command.getCommandSpec().optionsMap().keySet());
    command.getSubcommands().values().forEach(each -> names.addAll(options(each)));
    return names;
  }

  private static Set<String> named(String text) {
    Set<String> names = new TreeSet<>();
    Matcher option = OPTION.matcher(text);
    while (option.find()) {
      names.add(option.group());
    }
    return names;
  }

  private List<Path> guides() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(root.resolve("README.md")));
    try (var files = Files.list(root.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
    }
    return pages;
  }

  private String read(String path) {
    try {
      return Files.readString(root.resolve(path));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
