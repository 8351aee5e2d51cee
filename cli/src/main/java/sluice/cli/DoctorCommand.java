package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import sluice.cli.console.Json;
import sluice.cli.console.Version;
import sluice.host.machine.Doctor;
import sluice.host.machine.Finding;
import sluice.host.machine.MachineFiles;
import sluice.loop.engine.Backend;
import sluice.loop.server.Engines;
import sluice.sys.SysException;
import sluice.sys.uring.IoUringProbe;

/// Implements the command `sluice doctor`, which prints the findings of [Doctor]. It runs in the
/// main thread.
@Command(
    name = "doctor",
    description = "Shows what this machine offers, what is blocked, and the exact fix.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class DoctorCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "One JSON array of {name, status, found, fix}.")
  boolean json;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<Finding> findings =
        new Doctor(new MachineFiles(Path.of("/")), DoctorCommand::ringFailure).examine();
    if (json) {
      out.println(Json.of(findings.stream().map(Finding::asJson).toList()));
    } else {
      findings.forEach(finding -> print(finding, out));
    }
    out.flush();
    return 0;
  }

  private static Optional<String> ringFailure() {
    IoUringProbe probe = IoUringProbe.run();
    SysException whyNot = probe.whyNot();
    if (whyNot != null) {
      return Optional.of(whyNot.call() + " answered " + whyNot.errnoName());
    }
    if (!probe.deferTaskrun()) {
      return Optional.of("this kernel's rings lack DEFER_TASKRUN");
    }
    try {
      Engines.choose(Backend.IO_URING);
      return Optional.empty();
    } catch (IOException refused) {
      return Optional.of(String.valueOf(refused.getMessage()));
    }
  }

  private static void print(Finding finding, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%-10s %-23s %s%n",
        finding.status().name().toLowerCase(Locale.ROOT),
        finding.name(),
        finding.found());
    if (!finding.fix().isEmpty()) {
      String indent = System.lineSeparator() + " ".repeat(16);
      out.println("           fix: " + finding.fix().replace("\n", indent));
    }
  }
}
