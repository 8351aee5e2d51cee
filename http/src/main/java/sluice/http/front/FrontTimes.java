package sluice.http.front;

import java.time.Duration;

/// The times for which the front of an application waits for a client. Each is at least a
/// millisecond.
///
/// @param silence the time after which a new connection that sends nothing is given to the
///   application, which may speak first
/// @param head the time from the first byte of a head to its last; after it, the connection is
///   given to the application
/// @param idle the time between two requests, after which a connection is closed that the
///   application has not been given
public record FrontTimes(Duration silence, Duration head, Duration idle) {
  /// 200 ms, ten seconds, a minute.
  public static final FrontTimes DEFAULT =
      new FrontTimes(Duration.ofMillis(200), Duration.ofSeconds(10), Duration.ofSeconds(60));
}
