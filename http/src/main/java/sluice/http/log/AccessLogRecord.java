package sluice.http.log;

import org.jspecify.annotations.Nullable;

/// A line of the access log that waits until its reply has been sent, or cut off. Owned by the
/// loop's thread; pooled by [sluice.http.RequestLog].
public final class AccessLogRecord {
  /// As in the ring, [AccessLogRing].
  final byte[] bytes = new byte[AccessLogRing.RECORD_BYTES];

  /// Of the reply's body, as far as it is staged.
  public long bodyBytes;

  /// Where the reply ends in the output of its connection, as far as it is staged.
  public long end;

  /// More of the reply will be staged.
  public boolean growing;

  public @Nullable AccessLogRecord next;

  /// How much of the body has been sent.
  ///
  /// @param sentBytes of the connection's output
  public long sentOfBody(long sentBytes) {
    return Math.max(0, bodyBytes - Math.max(0, end - sentBytes));
  }
}
