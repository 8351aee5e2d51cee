package sluice.host.life;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import sluice.host.control.ControlSocket;
import sluice.loop.counters.Counters;

/// A running part of a host: a server of sites, an export, a mount, or the domains of a file.
/// Thread-safe.
public interface Part extends AutoCloseable {
  /// Returns a name that is unique among the parts of a host, such as `site` or `disk data`.
  String name();

  /// Returns a description in one line for the log.
  String describe();

  /// Returns the number of event loops.
  default int loops() {
    return 0;
  }

  /// Publishes the counters of the part until it ends.
  ///
  /// @param counters the counters of this process
  /// @param prefix the prefix of the labels
  /// @return the requests that `sluice` commands may send, by name
  default Map<String, ControlSocket.Action> publishTo(Counters counters, String prefix) {
    return Map.of();
  }

  /// Reloads the configuration and the files of the part.
  ///
  /// @param told receives one line for each item that was reloaded or refused
  /// @return false if an item was refused and stays unchanged
  default boolean reload(Consumer<String> told) {
    return true;
  }

  /// Returns the names of threads that do not react within a time. A part with such threads is
  /// stuck.
  default List<String> stuck(Duration within) throws InterruptedException {
    return List.of();
  }

  /// Returns the health of the running part.
  ///
  /// @param within the time within which its threads must react
  default PartHealth health(Duration within) throws InterruptedException {
    List<String> stuck = stuck(within).stream().map(thread -> "stuck: " + thread).toList();
    return new PartHealth(
        name(), stuck.isEmpty() ? PartHealth.State.READY : PartHealth.State.DEGRADED, stuck);
  }

  /// Returns the reason of a failure for the log; empty if it is not known.
  default String problem() {
    return "";
  }

  /// Stops accepting work and waits until the work in progress is done.
  ///
  /// @param why the reason for messages, such as `ended by SIGTERM`
  /// @param atMost the time after which remaining work is cut off
  /// @param told receives one line for each item that was cut off or could not be saved
  void drain(String why, Duration atMost, Consumer<String> told);

  /// Ends the work that a drain waits for in an orderly way, after a second signal.
  ///
  /// @return false if the part cannot do that, so that the process must be ended
  default boolean cutOff() {
    return false;
  }

  /// Waits until nothing of the part runs.
  ///
  /// @return false if it has failed
  boolean awaitEnd();

  /// Ends the part at once if it still runs, and releases its resources.
  @Override
  void close() throws IOException;
}
