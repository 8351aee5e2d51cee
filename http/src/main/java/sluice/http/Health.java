package sluice.http;

import java.util.List;

/// Tells how something is. Called by threads of the slow path, which may wait.
@FunctionalInterface
public interface Health {
  /// Returns what is wrong, a line each; empty while all is well.
  List<String> troubles() throws InterruptedException;
}
