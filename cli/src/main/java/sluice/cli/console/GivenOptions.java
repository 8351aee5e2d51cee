package sluice.cli.console;

import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import sluice.host.HostFile;
import sluice.host.file.OptionValues;
import sluice.host.file.UsageException;
import sluice.host.net.NetSettings;
import sluice.host.net.NetTable;
import sluice.host.text.TerminalText;

/// Converts command line options to the values of a configuration table: `--port 2049` becomes
/// `port = 2049`, and `--no-udp` becomes `udp = false`. This class is confined to the main thread.
public final class GivenOptions {
  private static final String NO = "--no-";
  private static final String STACK = "stack";

  /// The options whose key in the table is different from their name.
  private static final Map<String, String> KEYS = Map.of("--udp-stack", STACK);

  private GivenOptions() {}

  /// Returns the options of a command that were specified by the user, with their values.
  public static OptionValues of(CommandSpec command) {
    ParseResult parsed = command.commandLine().getParseResult();
    OptionValues values = new OptionValues();
    for (OptionSpec option : command.options()) {
      String name = name(option);
      Object value = parsed.hasMatchedOption(option) ? option.getValue() : null;
      if (name.startsWith(NO)) {
        values.add(name.substring(NO.length()), name, value == null ? null : Boolean.FALSE);
      } else {
        values.add(KEYS.getOrDefault(name, name.substring(2)), name, value);
      }
    }
    return values;
  }

  /// Returns the first name of an option that has the form `--name`.
  private static String name(OptionSpec option) {
    return Arrays.stream(option.names())
        .filter(name -> name.startsWith("--"))
        .findFirst()
        .orElse(option.longestName());
  }

  /// Returns the network that is specified by the options `--net`, `--device` and `--udp-stack`.
  ///
  /// @param otherwise the device to use if none is specified, or an empty string for no device
  /// @return the network, or null if there is none
  /// @throws UsageException if the specified network is not valid
  public static @Nullable NetSettings net(OptionValues values, String otherwise)
      throws UsageException {
    String named = values.string("net");
    if (named == null) {
      return otherwise.isEmpty() && !values.has(STACK) ? null : NetTable.of(values, otherwise);
    }
    for (String key : new String[] {"device", STACK}) {
      if (values.has(key)) {
        throw new UsageException(
            values.name(key)
                + " is given beside --net, which says it. Fix: leave one of the two out");
      }
    }
    return HostFile.netOf(named);
  }

  /// Returns the exception that reports incorrect usage of a command.
  public static ParameterException wrong(CommandSpec command, UsageException problem) {
    return new ParameterException(
        command.commandLine(), TerminalText.message(String.valueOf(problem.getMessage())), problem);
  }
}
