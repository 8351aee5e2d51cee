package sluice.bench.run;

import java.io.IOException;
import java.util.List;

/// The parts of the harness that one bench uses. Used by the main thread.
///
/// @param options the command line
/// @param workspace files and compiled programs
/// @param systems starts servers
/// @param sites the files that servers serve
/// @param generator loads servers
/// @param probe counts calls and allocations
/// @param regime measures the machine's current speed
public record Harness(
    Options options,
    Workspace workspace,
    Systems systems,
    Sites sites,
    LoadGenerator generator,
    Probe probe,
    Regime regime) {
  /// Binds the harness to the client's core, so that it never runs on the server's.
  public void keepOffServerCpu() throws IOException {
    String cpu = Integer.toString(options.clientCpu());
    String pid = Long.toString(ProcessHandle.current().pid());
    Commands.run(10, List.of("taskset", "-a", "-p", "-c", cpu, pid));
  }
}
