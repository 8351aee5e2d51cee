package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.host.SiteServer;
import sluice.host.file.UsageException;
import sluice.host.site.SiteOptions;
import sluice.host.text.TerminalText;
import sluice.http.HttpConfig;

/// `sluice config`: looks at configuration files of `sluice serve`. Runs in the main thread.
@Command(
    name = "config",
    description = "Looks at configuration files of sluice serve.",
    subcommands = ConfigCommand.Check.class,
    mixinStandardHelpOptions = true)
final class ConfigCommand {
  /// `sluice config check`: reads all that a start would, and listens nowhere.
  @Command(
      name = "check",
      description = "Tells whether sluice serve --config FILE would start, and if not, why.",
      footer = {"", "All keys of the file are in docs/site.md."},
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
        SiteOptions options = SiteOptions.read(Path.of(file));
        HttpConfig config = options.check();
        for (String warning : options.warnings()) {
          err.println("sluice: warning: " + TerminalText.message(warning));
        }
        err.flush();
        out.println(file + ": good, " + SiteServer.sites(config));
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
