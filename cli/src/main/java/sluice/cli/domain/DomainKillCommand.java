package sluice.cli.domain;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import sluice.host.control.ControlAnswer;
import sluice.host.control.ControlClient;
import sluice.host.domain.DomainCounters;
import sluice.host.text.TerminalText;

/// Implements the command `sluice domain kill`, which terminates one domain of a running process
/// without terminating the process. It runs in the main thread.
@Command(
    name = "kill",
    description = "Ends a domain of a running process, and not its neighbours.",
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:its gates are closed",
      "1:its process did not answer within 5 s",
      "2:wrong usage, or no such domain"
    },
    mixinStandardHelpOptions = true)
final class DomainKillCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  @Spec CommandSpec spec = CommandSpec.create();

  @Mixin DomainNamed named = new DomainNamed();

  @Override
  public Integer call() throws IOException, InterruptedException {
    DomainRow row = named.row();
    String shown = "domain " + TerminalText.line(row.name()) + " of process " + row.pid();
    // A plug-in is restarted shortly afterwards.
    boolean comesBack = row.values().containsKey(DomainCounters.RESTARTS);
    if (row.value(DomainCounters.ALIVE) != 0 || comesBack) {
      ControlAnswer answer =
          ControlClient.ask(
              named.directory(), row.pid(), DomainCounters.KILL, row.name(), PATIENCE);
      if (!answer.isDone()) {
        throw new IOException(shown + " was not ended: " + String.join("; ", answer.lines()));
      }
    }
    spec.commandLine().getOut().println(shown + " has ended");
    spec.commandLine().getOut().flush();
    return 0;
  }
}
