package sluice.cli.domain;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import sluice.cli.console.Json;
import sluice.host.text.TerminalText;

/// Implements the command `sluice domain stat`, which displays the resource usage of one domain. It
/// runs in the main thread.
@Command(
    name = "stat",
    description = "Shows what a domain of a running process uses.",
    mixinStandardHelpOptions = true)
final class DomainStatCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Mixin DomainNamed named = new DomainNamed();

  @Option(names = "--json", description = "One line of JSON.")
  boolean json;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    DomainRow row = named.row();
    if (json) {
      out.println(Json.of(row.json()));
    } else {
      out.println(
          "domain "
              + TerminalText.line(row.name())
              + " of process "
              + row.pid()
              + ": "
              + row.state());
      row.values()
          .forEach((label, value) ->
              out.println(String.format(Locale.ROOT, "  %-20s %,20d", label, value)));
    }
    out.flush();
    return 0;
  }
}
