package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.domain.component.ComponentRefused;
import sluice.domain.translate.Refused;
import sluice.host.Host;
import sluice.host.HostFile;
import sluice.host.file.UsageException;
import sluice.host.text.FailureMessage;
import sluice.host.text.TerminalText;

/// Implements the command `sluice up`, which runs all parts that are defined in a configuration
/// file. It runs in the main thread.
@Command(
    name = "up",
    description = "Runs the sites, domains and disks that a file names, until a signal ends them.",
    footer = {
      "",
      "The file has [site], [domain.NAME], [component.NAME], [disk.NAME] and [net.NAME];",
      "every file of sluice serve --config and of sluice domain run is such a file. What it would",
      "run is told by sluice config check FILE. See docs/running.md."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:ended by a signal, or nothing that the file names runs any more",
      "1:something could not start, or has failed",
      "2:wrong usage, or a file that is wrong, with line and fix"
    },
    mixinStandardHelpOptions = true)
final class UpCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", description = "What is to run, in TOML.")
  Path file = Path.of("");

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Consumer<String> messages =
        line -> {
          err.println("sluice: " + TerminalText.line(line));
          err.flush();
        };
    try (Host host = new Host(List.of(), messages)) {
      HostFile read = HostFile.read(file);
      host.listenToSignals(Host.Hangup.RELOADS);
      read.startIn(host);
      for (String part : host.describe()) {
        out.println(TerminalText.line(part));
      }
      out.flush();
      host.publish("up " + file);
      return host.awaitEnd() ? 0 : 1;
    } catch (UsageException e) {
      String message = TerminalText.message(String.valueOf(e.getMessage()));
      throw new ParameterException(spec.commandLine(), message, e);
    } catch (IOException | ComponentRefused | Refused | IllegalArgumentException e) {
      err.println("sluice: " + TerminalText.message(FailureMessage.text(e)));
      err.flush();
      return 1;
    }
  }
}
