package sluice.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import sluice.cli.compare.CompareCommand;
import sluice.cli.console.Output;
import sluice.cli.console.Version;
import sluice.cli.domain.DomainCommand;
import sluice.cli.fs.FsCommand;
import sluice.host.text.FailureMessage;
import sluice.host.text.Nearest;

/// The commands that are implemented with picocli. Their startup may take a tenth of a second. They
/// are executed by the main thread.
@Command(
    name = "sluice",
    description = "Moves data between devices and Java code.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
public final class Commands {
  private Commands() {}

  static int run(String... args) {
    return execute(commandLine(args), args);
  }

  /// Executes `sluice run --compare`. Unknown words are passed to the application.
  static int compare(List<String> words) {
    CommandLine compare =
        explaining(new CommandLine(new CompareCommand()))
            .setStopAtPositional(true)
            .setUnmatchedOptionsArePositionalParams(true);
    return execute(compare, words.toArray(new String[0]));
  }

  private static int execute(CommandLine commands, String... words) {
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    Output out = Output.standard();
    int code =
        commands
            .setOut(new PrintWriter(out, false, StandardCharsets.UTF_8))
            .setErr(err)
            .execute(words);
    commands.getOut().flush();
    out.complain(err);
    return code == 0 && !out.isGood() ? 1 : code;
  }

  /// Creates the commands that may be required for the given words, or all commands if there are no
  /// words.
  static CommandLine commandLine(String... words) {
    CommandLine commands = new CommandLine(new Commands());
    switch (words.length == 0 ? "" : words[0]) {
      case "doctor" -> commands.addSubcommand(new DoctorCommand());
      case "stat" -> commands.addSubcommand(new StatCommand());
      case "fs" -> commands.addSubcommand(FsCommand.line(words.length < 2 ? "" : words[1]));
      case "nfs" -> commands.addSubcommand(NfsCommand.line());
      case "up" -> commands.addSubcommand(new UpCommand());
      case "verify" -> commands.addSubcommand(new VerifyCommand());
      case "domain" -> commands.addSubcommand(new DomainCommand());
      case "reload" -> commands.addSubcommand(new ReloadCommand());
      case "config" -> commands.addSubcommand(new ConfigCommand());
      case "vi" -> commands.addSubcommand(ViCommand.line());
      case "completion" -> commands.addSubcommand(new CompletionCommand());
      default -> {
        commands.addSubcommand(new DoctorCommand());
        commands.addSubcommand(new StatCommand());
        commands.addSubcommand(FsCommand.line(""));
        commands.addSubcommand(NfsCommand.line());
        commands.addSubcommand(new UpCommand());
        commands.addSubcommand(new VerifyCommand());
        commands.addSubcommand(new DomainCommand());
        commands.addSubcommand(new ConfigCommand());
        commands.addSubcommand(new ReloadCommand());
        commands.addSubcommand(ViCommand.line());
        commands.addSubcommand(new CompletionCommand());
      }
    }
    return explaining(versioned(commands));
  }

  /// Sets the version of all subcommands.
  private static CommandLine versioned(CommandLine commands) {
    commands.getCommandSpec().versionProvider(new Version());
    commands.getSubcommands().values().forEach(Commands::versioned);
    return commands;
  }

  private static CommandLine explaining(CommandLine commands) {
    commands.setExecutionExceptionHandler((failure, command, parsed) -> {
      // The message of a failure is intended for the user, but the stack trace is not.
      command.getErr().println("sluice: " + FailureMessage.text(failure));
      if (System.getenv("SLUICE_DEBUG") != null) {
        failure.printStackTrace(command.getErr());
      }
      return 1;
    });
    commands.setParameterExceptionHandler(Commands::explainUsage);
    return commands;
  }

  /// Returns the description of a usage error. The description by picocli of a misspelled command
  /// is not useful, because it lists the arguments of the parser.
  private static String what(CommandLine.ParameterException wrong, CommandLine command) {
    if (!(wrong instanceof CommandLine.UnmatchedArgumentException unmatched)) {
      return String.valueOf(wrong.getMessage());
    }
    String word = unmatched.getUnmatched().getFirst();
    if (unmatched.isUnknownOption()) {
      String name = word.replaceAll("=.*", "");
      return "unknown option: "
          + name
          + Nearest.fix(name, command.getCommandSpec().optionsMap().keySet());
    }
    Set<String> below = command.getSubcommands().keySet();
    return below.isEmpty()
        ? String.valueOf(wrong.getMessage())
        : "there is no command '" + word + "'" + Nearest.fix(word, below);
  }

  /// Prints a usage error, which consists of one line and a hint, or of the list of commands if a
  /// command is missing.
  private static int explainUsage(CommandLine.ParameterException wrong, String[] words) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    String prefix = name.startsWith("sluice") ? "" : "sluice ";
    err.println(prefix + name + ": " + what(wrong, command));
    if (command.getSubcommands().isEmpty()) {
      err.println("'" + prefix + name + " --help' shows the usage.");
    } else {
      command.usage(err);
    }
    return CommandLine.ExitCode.USAGE;
  }
}
