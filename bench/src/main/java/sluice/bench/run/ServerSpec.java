package sluice.bench.run;

import java.util.List;
import java.util.Map;

/// How to start one system for one role. Immutable.
///
/// @param system its name in results
/// @param command program and arguments; it listens on 127.0.0.1, port `port`
/// @param environment variables added to ours
/// @param port where it listens
/// @param java whether the process is a JVM, whose allocations can be asked for
public record ServerSpec(
    String system, List<String> command, Map<String, String> environment, int port, boolean java) {
  public ServerSpec {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /// With the environment of the harness alone, as a user starts it.
  public ServerSpec withoutAddedFlags() {
    return new ServerSpec(system, command, Map.of(), port, java);
  }
}
