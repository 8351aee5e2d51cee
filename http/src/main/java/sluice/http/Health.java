package sluice.http;

import java.util.List;

/// Reports the health of a component. It is called by threads of the slow path, which may block.
@FunctionalInterface
public interface Health {
  /// Returns the current problems, one line each, or an empty list if the component is healthy.
  List<String> troubles() throws InterruptedException;
}
