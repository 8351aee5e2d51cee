package sluice.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/// `sluice vi`: messages between two processes, below the socket API. Runs in the main thread.
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
