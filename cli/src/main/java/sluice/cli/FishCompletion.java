package sluice.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/// Writes a completion script for fish, which is not supported by picocli. For each command, option
/// and list of values, the script contains one `complete` line with the condition under which it is
/// offered. Instances are confined to the main thread.
final class FishCompletion {
  private final List<String> lines = new ArrayList<>();
  private final String name;

  private FishCompletion(String name) {
    this.name = name;
  }

  /// Returns the script for a command and all its subcommands.
  static String of(String name, CommandLine command) {
    FishCompletion made = new FishCompletion(name);
    made.lines.add("complete -c " + name + " -f");
    made.write(command, "");
    return String.join("\n", made.lines) + "\n";
  }

  /// Writes the lines of a command.
  ///
  /// @param above the condition that the command has been typed, or an empty string for the
  ///   top-level command
  private void write(CommandLine command, String above) {
    Map<String, CommandLine> below = command.getSubcommands();
    if (!below.isEmpty()) {
      String none = "not __fish_seen_subcommand_from " + String.join(" ", below.keySet());
      String condition = above.isEmpty() ? none : above + "; and " + none;
      below.forEach((each, line) ->
          add(
              condition,
              "-a " + each + described(line.getCommandSpec().usageMessage().description())));
    }
    for (OptionSpec option : command.getCommandSpec().options()) {
      option(option, above);
    }
    for (PositionalParamSpec each : command.getCommandSpec().positionalParameters()) {
      add(above, each.completionCandidates() == null ? "-F" : "-a " + quoted(values(each)));
    }
    below.forEach((each, line) -> {
      String seen = "__fish_seen_subcommand_from " + each;
      write(line, above.isEmpty() ? seen : above + "; and " + seen);
    });
  }

  private void option(OptionSpec option, String condition) {
    if (option.hidden()) {
      return;
    }
    StringBuilder line = new StringBuilder();
    for (String each : option.names()) {
      line.append(each.startsWith("--") ? "-l " : "-s ")
          .append(each.replaceFirst("^-+", ""))
          .append(' ');
    }
    if (option.arity().max() > 0) {
      boolean isFile = Path.class.isAssignableFrom(option.type());
      line.append(
          option.completionCandidates() != null
              ? "-x -a " + quoted(values(option)) + " "
              : isFile ? "-r -F " : "-x ");
    }
    add(condition, line.toString().strip() + described(option.description()));
  }

  private void add(String condition, String rest) {
    String when = condition.isEmpty() ? "" : " -n " + quoted(condition);
    lines.add("complete -c " + name + when + " " + rest);
  }

  private static String values(ArgSpec of) {
    List<String> values = new ArrayList<>();
    of.completionCandidates().forEach(values::add);
    return String.join(" ", values);
  }

  private static String described(String[] description) {
    return description.length == 0 ? "" : " -d " + quoted(description[0]);
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
