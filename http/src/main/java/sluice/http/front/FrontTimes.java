package sluice.http.front;

import java.time.Duration;

/// How long the front of an application waits for a client. Each from a millisecond on.
///
/// @param silence a new connection that brings nothing is given to the application, which may speak
///   first
/// @param head from the first byte of a head to its last; then it is the application's matter
/// @param idle between two requests, while the application has not been given the connection; then
///   it is closed
public record FrontTimes(Duration silence, Duration head, Duration idle) {
  /// 200 ms, ten seconds, a minute.
  public static final FrontTimes DEFAULT =
      new FrontTimes(Duration.ofMillis(200), Duration.ofSeconds(10), Duration.ofSeconds(60));
}
