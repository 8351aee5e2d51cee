package sluice.nio.front;

import java.util.List;
import java.util.Optional;

/// Determines the thread that runs the loop of a front.
public enum FrontMode {
  /// The selecting thread if the server is known to run no application code on it, and otherwise a
  /// separate thread.
  AUTO,
  /// The thread that uses the first selector.
  OWNER,
  /// A separate thread, in all cases.
  COMPANION;

  /// A known server whose selecting thread runs no application code.
  ///
  /// @param listens the prefix of the name of the class that binds the listening channel
  /// @param selects the class that opens the selector whose thread runs the loop
  private record Known(String name, String listens, String selects) {}

  private static final List<Known> SERVERS =
      List.of(
          new Known(
              "Tomcat",
              "org.apache.tomcat.util.net.NioEndpoint",
              "org.apache.tomcat.util.net.NioEndpoint$Poller"));

  /// Returns the reason for running the loop on a selecting thread, given that the calling thread
  /// binds a listening channel, or an empty value if the loop runs on a separate thread.
  Optional<String> ownerOfListener() {
    return switch (this) {
      case OWNER -> Optional.of("as told");
      case COMPANION -> Optional.empty();
      case AUTO ->
          SERVERS.stream()
              .filter(known -> isCalledBy(known.listens))
              .map(known -> known.name + "'s runs no application code")
              .findFirst();
    };
  }

  /// Returns true if the loop may run on the thread that will use the selector being opened.
  boolean ownsBySelector() {
    return switch (this) {
      case OWNER -> true;
      case COMPANION -> false;
      case AUTO -> SERVERS.stream().anyMatch(known -> isCalledBy(known.selects));
    };
  }

  private static boolean isCalledBy(String prefix) {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().startsWith(prefix)));
  }
}
