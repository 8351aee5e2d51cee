package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The systems that can take part in a case, and how each starts. Used by the harness's main
/// thread.
public interface Peers {
  /// Returns all systems in the order of results; the others are compared with the first.
  List<String> names();

  /// Returns the systems that are measured by default, in the same order.
  default List<String> defaults(boolean quick) {
    return names();
  }

  /// Returns true if a system can be selected with `--peers`.
  default boolean knows(String system) {
    return names().contains(system);
  }

  /// Returns in a few words where a system has stored a change when it answers; empty if the case
  /// changes nothing.
  default String durability(String system) {
    return "";
  }

  /// Returns how a system starts.
  ///
  /// @param root folder to serve
  /// @throws IOException if the system cannot run here, with a fix
  ServerSpec spec(Systems systems, String system, Path root) throws IOException;
}
