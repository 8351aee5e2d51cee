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
import sluice.host.domain.Domains;
import sluice.host.text.TerminalText;

/// Implements the command `sluice domain replace`, which causes a running process to reload the
/// jars of a domain's components while the domain is in use. It runs in the main thread.
@Command(
    name = "replace",
    description = "Loads the jars of a domain's components again, with no call that fails.",
    footer = {
      "",
      "For domains with components. Refused, and all stays as it was, if the new classes cannot",
      "take the place of the old by chapter 13 of the Java Language Specification."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:the new one answers",
      "1:it was refused, or the process did not answer within 90 s",
      "2:wrong usage, or no such domain"
    },
    mixinStandardHelpOptions = true)
final class DomainReplaceCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @Spec CommandSpec spec = CommandSpec.create();

  @Mixin DomainNamed named = new DomainNamed();

  @Override
  public Integer call() throws IOException, InterruptedException {
    DomainRow row = named.row();
    String shown = "domain " + TerminalText.line(row.name()) + " of process " + row.pid();
    ControlAnswer answer =
        ControlClient.ask(named.directory(), row.pid(), Domains.REPLACE, row.name(), PATIENCE);
    String told = TerminalText.line(String.join("; ", answer.lines()));
    spec.commandLine().getOut().println(shown + " " + told);
    spec.commandLine().getOut().flush();
    return answer.isDone() ? 0 : 1;
  }
}
