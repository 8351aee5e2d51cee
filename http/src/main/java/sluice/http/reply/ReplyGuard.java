package sluice.http.reply;

import org.jspecify.annotations.Nullable;

/// Decides which clients get a reply. Any thread may call.
public interface ReplyGuard {
  /// The decision about a client.
  ///
  /// @param status 0 for a client that is admitted, else 401 or 403
  /// @param fields header lines of the refusal, each with CRLF
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Verdict(int status, byte[] fields) {
    public static final Verdict ADMITTED = new Verdict(0, new byte[0]);
    public static final Verdict FORBIDDEN = new Verdict(403, new byte[0]);
  }

  /// Returns the decision about a client.
  ///
  /// @param addressHigh first half of its address as IPv6; 0 with `addressLow` for none
  /// @param authorization value of that field; null for none
  Verdict verdict(long addressHigh, long addressLow, byte @Nullable [] authorization);
}
