package sluice.bench.run;

import java.io.IOException;
import java.util.List;

/// What a bench works with. Used by the main thread.
///
/// @param options the command line
/// @param workspace files and compiled programs
/// @param systems how servers start
/// @param sites what they serve
/// @param generator loads them
/// @param probe counts calls and allocations
/// @param regime tells how fast the machine is
public record Harness(
    Options options,
    Workspace workspace,
    Systems systems,
    Sites sites,
    LoadGenerator generator,
    Probe probe,
    Regime regime) {
  /// The harness itself runs beside the client, never on the server's core.
  public void keepOffServerCpu() throws IOException {
    String cpu = Integer.toString(options.clientCpu());
    String pid = Long.toString(ProcessHandle.current().pid());
    Commands.run(10, List.of("taskset", "-a", "-p", "-c", cpu, pid));
  }
}
