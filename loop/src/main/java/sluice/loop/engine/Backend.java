package sluice.loop.engine;

import java.util.Locale;

/// Which kernel mechanism is asked for.
public enum Backend {
  /// The best that this machine offers: io_uring, else epoll, else poll, else JDK channels.
  AUTO,
  IO_URING,
  EPOLL,
  POLL,
  JDK;

  /// @param text `auto`, `io_uring`, `epoll`, `poll` or `jdk`
  /// @throws IllegalArgumentException naming the choices
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
