package sluice.host.life;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import sluice.host.control.ControlSocket;
import sluice.loop.counters.Counters;

/// A running part of a host: a server of sites, an export, a mount, the domains of a file. Any
/// thread may call.
public interface Part extends AutoCloseable {
  /// Returns a name that is unique among the parts of a host, such as `site` or `disk data`.
  String name();

  /// Returns what runs, in one line for the log.
  String describe();

  /// Returns how many event loops it has.
  default int loops() {
    return 0;
  }

  /// Shows other processes what the part does, until it ends.
  ///
  /// @param counters of this process
  /// @param prefix of the labels of its counters
  /// @return the requests that `sluice` commands may make of it, by their names
  default Map<String, ControlSocket.Action> publishTo(Counters counters, String prefix) {
    return Map.of();
  }

  /// Reads again what the part was made from.
  ///
  /// @param told gets one line for each thing that is read or refused
  /// @return false if something was refused, and stays as it was
  default boolean reload(Consumer<String> told) {
    return true;
  }

  /// Returns the names of threads that do not turn within a time; such a part is stuck.
  default List<String> stuck(Duration within) throws InterruptedException {
    return List.of();
  }

  /// Returns how it is while it runs.
  ///
  /// @param within how long its threads may take to show that they turn
  default PartHealth health(Duration within) throws InterruptedException {
    List<String> stuck = stuck(within).stream().map(thread -> "stuck: " + thread).toList();
    return new PartHealth(
        name(), stuck.isEmpty() ? PartHealth.State.READY : PartHealth.State.DEGRADED, stuck);
  }

  /// Returns why it has failed, for a line of the log; empty if that is not known.
  default String problem() {
    return "";
  }

  /// Takes no new work and waits until the work under way is done.
  ///
  /// @param why for messages, such as `ended by SIGTERM`
  /// @param atMost after which the rest is cut off
  /// @param told gets one line for each thing that was cut off or could not be saved
  void drain(String why, Duration atMost, Consumer<String> told);

  /// Ends what the drain waits for, in an orderly way: a second signal asks for it.
  ///
  /// @return false if the part has no such way, and the process is to be ended
  default boolean cutOff() {
    return false;
  }

  /// Waits until nothing of the part runs.
  ///
  /// @return false if it has failed
  boolean awaitEnd();

  /// Ends the part at once if it still runs, and frees all that it has.
  @Override
  void close() throws IOException;
}
