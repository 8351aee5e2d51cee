package sluice.http.front;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The settings of the front of an application.
///
/// @param times the timeouts for clients
/// @param replies the cache of the application's replies, or null to disable it
/// @param accessLog the file to which a line is appended for each reply of the front, or null. The
///   application logs its own replies
/// @param logFormat the format of these lines: `combined`, `json`, or the text of a line
public record FrontSettings(
    FrontTimes times, @Nullable KeptReplies replies, @Nullable Path accessLog, String logFormat) {
  /// The default settings, with [FrontTimes#DEFAULT], no reply cache and no access log.
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
