package sluice.nio.front;

import java.util.List;
import java.util.Optional;

/// The choice of the thread that turns the loop of a front.
public enum FrontMode {
  /// The selecting thread, for servers that are known not to run application code on it.
  AUTO,
  /// The thread of the first selector.
  OWNER,
  /// A separate thread.
  COMPANION;

  /// A server whose selecting thread runs no application code.
  ///
  /// @param listens the prefix of the name of the class that binds
  /// @param selects the class that opens the selector whose thread turns the loop
  private record Known(String name, String listens, String selects) {}

  private static final List<Known> SERVERS =
      List.of(
          new Known(
              "Tomcat",
              "org.apache.tomcat.util.net.NioEndpoint",
              "org.apache.tomcat.util.net.NioEndpoint$Poller"));

  /// Returns the reason why the calling thread, which binds a listening channel, leaves the loop to
  /// a selecting thread; empty if a separate thread turns it.
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

  /// Returns true if the thread that will use the selector being opened may turn a loop.
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
