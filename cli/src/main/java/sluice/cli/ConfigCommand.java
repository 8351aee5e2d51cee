package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.host.HostFile;
import sluice.host.file.UsageException;
import sluice.host.text.TerminalText;

/// Implements the command `sluice config`, which checks configuration files. It runs in the main
/// thread.
@Command(
    name = "config",
    description = "Looks at the files that name what runs.",
    subcommands = ConfigCommand.Check.class,
    mixinStandardHelpOptions = true)
final class ConfigCommand {
  /// Implements the command `sluice config check`, which reads everything that is required for a
  /// start, without listening.
  @Command(
      name = "check",
      description = "Tells what sluice up FILE would run; if it would not start, why.",
      footer = {"", "The keys of sites are in docs/site.md, all others in docs/running.md."},
      exitCodeListHeading = "Exit codes:%n",
      exitCodeList = {
        "0:nothing is wrong; a warning may be printed, for example of a rule that names no file",
        "1:something is, with file, line, why and fix",
        "2:wrong usage"
      },
      mixinStandardHelpOptions = true)
  static final class Check implements Callable<Integer> {
    @Spec CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FILE", description = "The configuration, in TOML.")
    String file = "";

    @Override
    public Integer call() {
      PrintWriter out = spec.commandLine().getOut();
      PrintWriter err = spec.commandLine().getErr();
      try {
        HostFile read = HostFile.read(Path.of(file));
        List<String> parts = read.explain();
        for (String warning : read.warnings()) {
          err.println("sluice: warning: " + TerminalText.message(warning));
        }
        err.flush();
        out.println(file + ": good");
        parts.forEach(part -> out.println("  " + TerminalText.line(part)));
        out.flush();
        return 0;
      } catch (UsageException | IOException e) {
        err.println("sluice: " + TerminalText.message(String.valueOf(e.getMessage())));
        err.flush();
        return 1;
      }
    }
  }
}
