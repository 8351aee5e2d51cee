package sluice.loop.engine;

import java.util.Locale;

/// The kernel mechanism requested for an engine.
public enum Backend {
  /// The best mechanism of this machine: io_uring, else epoll, else poll, else JDK channels.
  AUTO,
  IO_URING,
  EPOLL,
  POLL,
  JDK;

  /// Parses the name of a backend.
  ///
  /// @param text `auto`, `io_uring`, `epoll`, `poll` or `jdk`
  /// @throws IllegalArgumentException for another name; the message lists the choices
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
