package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The systems that can take part in a case, and how each starts. Used by the harness's main
/// thread.
public interface Peers {
  /// All systems in the order of results; the first is the one the others are compared with.
  List<String> names();

  /// Those measured unless told otherwise, in the same order.
  default List<String> defaults(boolean quick) {
    return names();
  }

  /// Whether a system can be asked for with `--peers`.
  default boolean knows(String system) {
    return names().contains(system);
  }

  /// What a system has done with a change when it answers, in a few words; empty when the case
  /// changes nothing.
  default String durability(String system) {
    return "";
  }

  /// @param root folder to serve
  /// @throws IOException when the system cannot run here, with what to do about it
  ServerSpec spec(Systems systems, String system, Path root) throws IOException;
}
