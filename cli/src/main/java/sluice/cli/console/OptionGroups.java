package sluice.cli.console;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Layout;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/// Groups the options of a command under headings in its `--help`. Instances are confined to the
/// thread that creates them.
public final class OptionGroups {
  private final Map<String, List<String>> groups = new LinkedHashMap<>();

  /// Adds a group.
  ///
  /// @param heading the line above the group, without the colon
  /// @param options the names of the options, in the order in which they are listed
  /// @return this object
  public OptionGroups group(String heading, String... options) {
    groups.put(heading, List.of(options));
    return this;
  }

  /// Configures a command to list its options in these groups, followed by all options that are not
  /// in a group.
  ///
  /// @return the command
  /// @throws IllegalArgumentException if the command does not have one of the options
  public CommandLine applyTo(CommandLine command) {
    Map<String, OptionSpec> known = command.getCommandSpec().optionsMap();
    for (String name : groups.values().stream().flatMap(List::stream).toList()) {
      if (!known.containsKey(name)) {
        throw new IllegalArgumentException(command.getCommandName() + " has no option " + name);
      }
    }
    command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, this::list);
    return command;
  }

  private String list(Help help) {
    Map<String, OptionSpec> known = help.commandSpec().optionsMap();
    StringBuilder text = new StringBuilder();
    groups.forEach((heading, names) ->
        text.append(String.format("%n%s:%n", heading))
            .append(list(help, names.stream().map(known::get))));
    List<String> named = groups.values().stream().flatMap(List::stream).toList();
    Stream<OptionSpec> others =
        help.commandSpec().options().stream()
            .filter(each -> named.stream().noneMatch(name -> known.get(name) == each));
    return text.append(String.format("%n")).append(list(help, others)).toString();
  }

  private static String list(Help help, Stream<OptionSpec> options) {
    Layout layout = help.createDefaultLayout();
    layout.addOptions(
        options.filter(each -> !each.hidden()).toList(), help.parameterLabelRenderer());
    return layout.toString();
  }
}
