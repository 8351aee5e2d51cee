package sluice.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The commands whose start may take a tenth of a second, on picocli. The main thread runs them.
@Command(
    name = "sluice",
    description = "Moves data between devices and Java code.",
    subcommands = {DoctorCommand.class, StatCommand.class, FsCommand.class, NfsCommand.class},
    mixinStandardHelpOptions = true,
    versionProvider = Commands.Version.class)
final class Commands {
  private Commands() {}

  static int run(String... args) {
    return printing(commandLine()).execute(args);
  }

  /// `sluice run --compare`. What it does not know belongs to the application.
  static int compare(List<String> words) {
    return printing(explaining(new CommandLine(new CompareCommand())))
        .setStopAtPositional(true)
        .setUnmatchedOptionsArePositionalParams(true)
        .execute(words.toArray(new String[0]));
  }

  private static CommandLine printing(CommandLine commands) {
    return commands
        .setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
  }

  static CommandLine commandLine() {
    return explaining(new CommandLine(new Commands()));
  }

  private static CommandLine explaining(CommandLine commands) {
    commands.setExecutionExceptionHandler((failure, command, parsed) -> {
      // The message of a failure is written for the person at the terminal; its stack is not.
      String text = failure.getMessage();
      command.getErr().println("sluice: " + (text == null ? failure.toString() : text));
      if (System.getenv("SLUICE_DEBUG") != null) {
        failure.printStackTrace(command.getErr());
      }
      return 1;
    });
    return commands;
  }

  /// The version in the jar's module descriptor.
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {
        "sluice " + Commands.class.getModule().getDescriptor().rawVersion().orElse("(not packaged)")
      };
    }
  }
}
