package sluice.bench.run;

import java.util.List;
import java.util.Map;

/// The start of one system for one role. Immutable.
///
/// @param system its name in results
/// @param command program and arguments; it listens on 127.0.0.1, port `port`
/// @param environment variables added to the harness's own
/// @param port the port it listens on
/// @param java true if the process is a JVM, whose allocations can be measured
public record ServerSpec(
    String system, List<String> command, Map<String, String> environment, int port, boolean java) {
  public ServerSpec {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /// Returns a copy with only the environment of the harness, as a user starts it.
  public ServerSpec withoutAddedFlags() {
    return new ServerSpec(system, command, Map.of(), port, java);
  }
}
