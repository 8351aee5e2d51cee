package sluice.http.log;

import org.jspecify.annotations.Nullable;

/// A line of the access log that waits until its reply has been sent, or cut off. Owned by the
/// loop's thread; pooled by [sluice.http.RequestLog].
public final class AccessLogRecord {
  /// The record, as in [AccessLogRing].
  final byte[] bytes = new byte[AccessLogRing.RECORD_BYTES];

  /// The bytes of the reply's body that are staged so far.
  public long bodyBytes;

  /// The end of the reply in the output of its connection, as far as it is staged.
  public long end;

  /// True if more of the reply will be staged.
  public boolean growing;

  public @Nullable AccessLogRecord next;

  /// Returns the number of bytes of the body that have been sent.
  ///
  /// @param sentBytes of the connection's output
  public long sentOfBody(long sentBytes) {
    return Math.max(0, bodyBytes - Math.max(0, end - sentBytes));
  }
}
