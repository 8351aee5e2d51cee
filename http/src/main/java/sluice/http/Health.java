package sluice.http;

import java.util.List;

/// Reports the health of a component. Called by threads of the slow path, which may wait.
@FunctionalInterface
public interface Health {
  /// Returns the problems, one line each; empty while all is well.
  List<String> troubles() throws InterruptedException;
}
