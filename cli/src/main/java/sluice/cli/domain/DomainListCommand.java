package sluice.cli.domain;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import sluice.cli.console.CountersDirectory;
import sluice.cli.console.Json;
import sluice.host.domain.DomainCounters;
import sluice.host.text.TerminalText;

/// Implements the command `sluice domain ls`, which lists the domains of running processes. It runs
/// in the main thread.
@Command(
    name = "ls",
    description = "Lists the domains of running processes of this user.",
    mixinStandardHelpOptions = true)
final class DomainListCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "One line of JSON per domain.")
  boolean json;

  @Mixin CountersDirectory counters = new CountersDirectory();

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Path where = counters.path();
    List<DomainRow> rows = DomainRow.all(where, line -> err.println("sluice: " + line));
    if (!json && rows.isEmpty()) {
      err.println("sluice: no domain runs. One of another user or environment: --dir");
    } else if (!json) {
      out.println(line("PID", "DOMAIN", "STATE", "THREADS", "CPU MS", "ALLOCATED"));
    }
    for (DomainRow row : rows) {
      out.println(
          json
              ? Json.of(row.json())
              : line(
                  row.pid(),
                  TerminalText.line(row.name()),
                  row.state(),
                  row.value(DomainCounters.THREADS),
                  row.value(DomainCounters.CPU),
                  row.value(DomainCounters.ALLOCATED)));
    }
    out.flush();
    return 0;
  }

  private static String line(Object... cells) {
    return String.format(Locale.ROOT, "%8s  %-24s %-7s %8s %12s %16s", cells);
  }
}
