package sluice.host.life;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import sluice.host.control.ControlSocket;
import sluice.loop.counters.Counters;

/// A running part of a host, such as a server of sites, an export, a mount, or the domains of a
/// file. Implementations are thread-safe.
public interface Part extends AutoCloseable {
  /// Returns the name of this part, which is unique among the parts of a host, such as `site` or
  /// `disk data`.
  String name();

  /// Returns a one-line description for the log.
  String describe();

  /// Returns the number of event loops of this part.
  default int loops() {
    return 0;
  }

  /// Publishes the counters of this part until it ends.
  ///
  /// @param counters the counters of this process
  /// @param prefix the prefix of the labels
  /// @return the actions that can be requested by `sluice` commands, keyed by name
  default Map<String, ControlSocket.Action> publishTo(Counters counters, String prefix) {
    return Map.of();
  }

  /// Reloads the configuration and the files of this part.
  ///
  /// @param told a consumer that receives one line for each item that was reloaded or refused
  /// @return false if an item was refused and remains unchanged
  default boolean reload(Consumer<String> told) {
    return true;
  }

  /// Returns the names of the threads that do not respond within the given time. A part with such
  /// threads is considered stuck.
  default List<String> stuck(Duration within) throws InterruptedException {
    return List.of();
  }

  /// Returns the health of this part while it is running.
  ///
  /// @param within the time within which its threads must respond
  default PartHealth health(Duration within) throws InterruptedException {
    List<String> stuck = stuck(within).stream().map(thread -> "stuck: " + thread).toList();
    return new PartHealth(
        name(), stuck.isEmpty() ? PartHealth.State.READY : PartHealth.State.DEGRADED, stuck);
  }

  /// Returns the reason for a failure, or an empty string if it is not known. The reason is logged.
  default String problem() {
    return "";
  }

  /// Stops accepting work and waits until the work in progress has been completed.
  ///
  /// @param why the reason that is used in messages, such as `ended by SIGTERM`
  /// @param atMost the timeout after which the remaining work is aborted
  /// @param told a consumer that receives one line for each item that was aborted or could not be
  ///   saved
  void drain(String why, Duration atMost, Consumer<String> told);

  /// Aborts the work that a drain is waiting for in an orderly way. This method is called after a
  /// second signal.
  ///
  /// @return false if this is not supported, in which case the process must be terminated
  default boolean cutOff() {
    return false;
  }

  /// Waits until this part is no longer running.
  ///
  /// @return false if this part has failed
  boolean awaitEnd();

  /// Stops this part immediately if it is still running, and releases its resources.
  @Override
  void close() throws IOException;
}
