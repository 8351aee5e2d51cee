package sluice.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/// Implements the command `sluice vi`, which measures the exchange of messages between two
/// processes over Virtual Interfaces. It runs in the main thread.
@Command(
    name = "vi",
    description = "Sends messages over Virtual Interfaces and says how fast they are.",
    mixinStandardHelpOptions = true)
final class ViCommand {
  static CommandLine line() {
    return new CommandLine(new ViCommand())
        .addSubcommand(new ViPingPong())
        .addSubcommand(new ViStream());
  }
}
