package sluice.http.front;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// How the front of an application behaves.
///
/// @param times how long it waits for clients
/// @param replies where replies of the application are kept; null where none is
/// @param accessLog gets a line, in the combined format, for each reply of the front; null for
///   none. What the application answers is in its own log
public record FrontSettings(
    FrontTimes times, @Nullable KeptReplies replies, @Nullable Path accessLog) {
  /// [FrontTimes#DEFAULT], no replies, no log.
  public static final FrontSettings DEFAULT = new FrontSettings(FrontTimes.DEFAULT, null, null);

  public FrontSettings withTimes(FrontTimes value) {
    return new FrontSettings(value, replies, accessLog);
  }

  public FrontSettings withReplies(@Nullable KeptReplies value) {
    return new FrontSettings(times, value, accessLog);
  }

  public FrontSettings withAccessLog(@Nullable Path value) {
    return new FrontSettings(times, replies, value);
  }
}
