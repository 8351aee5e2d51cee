package sluice.http.log;

import org.jspecify.annotations.Nullable;

/// A pending line of the access log, which is written after its reply has been sent or aborted. It
/// is owned by the loop's thread and pooled by [sluice.http.RequestLog].
public final class AccessLogRecord {
  /// The record in the format of [AccessLogRing].
  final byte[] bytes = new byte[AccessLogRing.RECORD_BYTES];

  /// The number of bytes of the reply's body that have been staged so far.
  public long bodyBytes;

  /// The position in the connection's output at which the staged part of the reply ends.
  public long end;

  /// True if more of the reply will be staged.
  public boolean growing;

  public @Nullable AccessLogRecord next;

  /// Returns the number of bytes of the body that have been sent.
  ///
  /// @param sentBytes the number of bytes of the connection's output that have been sent
  public long sentOfBody(long sentBytes) {
    return Math.max(0, bodyBytes - Math.max(0, end - sentBytes));
  }
}
