package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.CountersDirectory;
import sluice.host.Host;
import sluice.host.control.ControlAnswer;
import sluice.host.control.ControlClient;
import sluice.host.text.TerminalText;
import sluice.loop.counters.CounterFile;
import sluice.loop.counters.CounterSnapshot;

/// Implements the command `sluice reload`, which causes a running server to reload its
/// configuration, certificates, files and plug-ins. It runs in the main thread.
@Command(
    name = "reload",
    description = "Has a running server read its configuration again: all of it, or nothing.",
    footer = {
      "",
      "Reads what SIGHUP reads, needs no signal, and shows what was loaded and what was refused.",
      "The server answers its own user and root."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:all of it is in use",
      "1:something was refused and stays as it was, or the server did not answer within 60 s",
      "2:wrong usage, or no such server"
    },
    mixinStandardHelpOptions = true)
final class ReloadCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME|PID",
      description =
          "The server's process, or a part of what 'sluice stat' says of it, such as its directory"
              + " or :8080; not needed where one server runs.")
  @Nullable String server;

  @Mixin CountersDirectory counters = new CountersDirectory();

  @Override
  public Integer call() throws IOException, InterruptedException {
    CounterSnapshot process = find();
    ControlAnswer answer =
        ControlClient.ask(counters.path(), process.pid(), Host.RELOAD, "", PATIENCE);
    PrintWriter out = spec.commandLine().getOut();
    out.println("process " + process.pid() + "  " + process.description());
    answer.lines().forEach(line -> out.println("  " + TerminalText.line(line)));
    return answer.isDone() ? 0 : 1;
  }

  /// Finds the server that is to be reloaded.
  ///
  /// @throws ParameterException if there is no such server, or if there is more than one
  private CounterSnapshot find() throws IOException {
    Path directory = counters.path();
    PrintWriter err = spec.commandLine().getErr();
    List<CounterSnapshot> all =
        CounterFile.readAll(directory, line -> err.println("sluice: " + line)).stream()
            .filter(process -> ControlClient.isListening(directory, process.pid()))
            .toList();
    List<CounterSnapshot> found = all.stream().filter(this::hasNumber).toList();
    if (found.isEmpty()) {
      found = all.stream().filter(this::isDescribed).toList();
    }
    if (found.size() == 1) {
      return found.getFirst();
    }
    String shown = server == null ? "" : " called " + TerminalText.line(server);
    if (found.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "no server"
              + shown
              + " listens to requests in "
              + directory
              + ". Fix: one that 'sluice stat' shows; --dir for another user's or environment's");
    }
    StringBuilder several =
        new StringBuilder(found.size() + " servers" + shown + ". Fix: give one");
    found.forEach(
        each -> several.append("\n  ").append(each.pid()).append("  ").append(each.description()));
    throw new ParameterException(spec.commandLine(), several.toString());
  }

  private boolean hasNumber(CounterSnapshot process) {
    return Long.toString(process.pid()).equals(server);
  }

  private boolean isDescribed(CounterSnapshot process) {
    return process.description().startsWith("serve ")
        && (server == null || process.description().contains(server));
  }
}
