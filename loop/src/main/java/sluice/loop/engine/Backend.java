package sluice.loop.engine;

import java.util.Locale;

/// The kernel mechanism requested for an engine.
public enum Backend {
  /// The best mechanism available on this machine: io_uring, epoll, poll or JDK channels, in this
  /// order.
  AUTO,
  IO_URING,
  EPOLL,
  POLL,
  JDK;

  /// Parses the name of a backend.
  ///
  /// @param text `auto`, `io_uring`, `epoll`, `poll` or `jdk`
  /// @throws IllegalArgumentException if the name is unknown; the message lists the valid names
  public static Backend parse(String text) {
    for (Backend backend : values()) {
      if (backend.toString().equals(text)) {
        return backend;
      }
    }
    throw new IllegalArgumentException(
        "no backend '" + text + "': use auto, io_uring, epoll, poll or jdk");
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
