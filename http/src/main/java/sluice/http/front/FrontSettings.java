package sluice.http.front;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// How the front of an application behaves.
///
/// @param times how long it waits for clients
/// @param replies where replies of the application are kept; null where none is
/// @param accessLog gets a line for each reply of the front; null for none. What the application
///   answers is in its own log
/// @param logFormat of these lines: `combined`, `json`, or the text of a line
public record FrontSettings(
    FrontTimes times, @Nullable KeptReplies replies, @Nullable Path accessLog, String logFormat) {
  /// [FrontTimes#DEFAULT], no replies, no log.
  public static final FrontSettings DEFAULT =
      new FrontSettings(FrontTimes.DEFAULT, null, null, "combined");

  public FrontSettings withTimes(FrontTimes value) {
    return new FrontSettings(value, replies, accessLog, logFormat);
  }

  public FrontSettings withReplies(@Nullable KeptReplies value) {
    return new FrontSettings(times, value, accessLog, logFormat);
  }

  public FrontSettings withAccessLog(@Nullable Path value) {
    return new FrontSettings(times, replies, value, logFormat);
  }

  public FrontSettings withLogFormat(String value) {
    return new FrontSettings(times, replies, accessLog, value);
  }
}
