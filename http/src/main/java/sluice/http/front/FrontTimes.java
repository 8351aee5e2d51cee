package sluice.http.front;

import java.time.Duration;

/// The timeouts of the front of an application. Each is at least one millisecond.
///
/// @param silence the time after which a new connection that sends nothing is passed to the
///   application, which may be the first to send
/// @param head the time from the first byte of a head to its last; after which the connection is
///   passed to the application
/// @param idle the time between two requests after which a connection is closed, unless it has been
///   passed to the application
public record FrontTimes(Duration silence, Duration head, Duration idle) {
  /// The default timeouts of 200 ms, ten seconds and one minute.
  public static final FrontTimes DEFAULT =
      new FrontTimes(Duration.ofMillis(200), Duration.ofSeconds(10), Duration.ofSeconds(60));
}
