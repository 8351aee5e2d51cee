package sluice.cli.domain;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.CountersDirectory;
import sluice.host.text.TerminalText;

/// The options that select one domain of a running process. Instances are confined to the main
/// thread.
final class DomainNamed {
  @Spec(Spec.Target.MIXEE)
  CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "NAME", description = "As 'sluice domain ls' shows it.")
  String name = "";

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = "Its process, if several have a domain of that name.")
  @Nullable Long pid;

  @Mixin CountersDirectory counters = new CountersDirectory();

  Path directory() {
    return counters.path();
  }

  /// Finds the selected domain.
  ///
  /// @throws ParameterException if there is no such domain, or if there is more than one
  DomainRow row() throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    List<DomainRow> rows =
        DomainRow.all(directory(), line -> err.println("sluice: " + line)).stream()
            .filter(row -> isNamed(row) && (pid == null || row.pid() == pid))
            .toList();
    if (rows.size() == 1) {
      return rows.getFirst();
    }
    String shown = TerminalText.line(name);
    throw new ParameterException(
        spec.commandLine(),
        rows.isEmpty()
            ? "no domain is called " + shown + ". Fix: a name that 'sluice domain ls' shows"
            : rows.size() + " processes have a domain " + shown + ". Fix: give --pid PID");
  }

  /// Returns true if the name matches. The path of a plug-in matches its domain, whose name is the
  /// path without leading and trailing slashes.
  private boolean isNamed(DomainRow row) {
    return row.name().equals(name) || row.name().equals(name.replaceAll("^/|/$", ""));
  }
}
