package sluice.bench.server;

import java.io.IOException;
import java.nio.channels.Selector;

/// Prevents a server from measuring another selector than its name says because a provider fell
/// back to the JDK's. Called by the main thread of each server of the selector bench.
public final class SelectorCheck {
  /// The system property with the beginning of the class name that selectors must have.
  public static final String PROPERTY = "sluice.bench.selector";

  private SelectorCheck() {}

  /// Opens a selector, prints its class, and throws if it is of another kind.
  public static void require() throws IOException {
    try (Selector selector = Selector.open()) {
      String found = selector.getClass().getName();
      String expected = System.getProperty(PROPERTY, "");
      if (!found.startsWith(expected)) {
        throw new IOException(
            "this would measure the wrong selector: "
                + found
                + " instead of "
                + expected
                + "…. Why: the provider's engine is not available here, or not built yet");
      }
      System.out.println("selector: " + found);
    }
  }
}
