package sluice.http;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import sluice.http.log.AccessLogRecord;
import sluice.http.parse.ChunkedDecoder;
import sluice.http.parse.HttpRequest;
import sluice.memory.View;

/// What the protocol remembers about a connection between two calls. Owned by the loop's thread.
final class HttpSession {
  /// Bytes of the incomplete head that were looked at already.
  int scanned;

  /// The header timeout runs: the first byte of a head has come, or its body is being skipped, and
  /// the last has not.
  boolean readingHead;

  /// When it was accepted, by the loop's clock.
  long openedNanos;

  /// Requests answered or under way.
  int requests;

  /// Answer nothing more after the reply under way.
  boolean closing;

  /// Client address for the access log, as IPv6.
  long addressHigh;

  long addressLow;

  /// Bytes of a request, body included, that must be there before it is looked at again.
  int held;

  /// Whose request that is.
  @Nullable BoundRoute heldFor;

  /// Lines of the access log that wait until their replies have been sent, in their order.
  @Nullable AccessLogRecord logOldest;

  @Nullable AccessLogRecord logNewest;

  /// The body that is being collected for a slow handler.
  @Nullable Upload upload;

  /// Bytes of a fixed-length body still to be skipped.
  private long bodyLeft;

  private @Nullable ChunkedDecoder chunks;

  /// Keeps the client's address for the access log.
  void noteAddress(@Nullable SocketAddress address) {
    if (address instanceof InetSocketAddress inet && inet.getAddress() != null) {
      byte[] bytes = inet.getAddress().getAddress();
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      if (bytes.length == Integer.BYTES) {
        addressLow = 0xffff_0000_0000L | (buffer.getInt() & 0xffff_ffffL);
      } else {
        addressHigh = buffer.getLong();
        addressLow = buffer.getLong();
      }
    }
  }

  /// Starts skipping the body of a request that was answered without it.
  ///
  /// @return false when the body is longer than is worth waiting for
  boolean skipBody(HttpRequest request, long mostBytes) {
    switch (request.bodyKind()) {
      case NONE -> {}
      case FIXED -> {
        bodyLeft = request.contentLength();
        return bodyLeft <= mostBytes;
      }
      case CHUNKED -> chunks = new ChunkedDecoder(mostBytes);
    }
    return true;
  }

  boolean skipping() {
    return bodyLeft > 0 || chunks != null;
  }

  /// Skips what is there of the body.
  ///
  /// @return where the skipping ended in `[from, to]`, or a negative status when it is malformed
  int skip(View view, int from, int to) {
    ChunkedDecoder decoder = chunks;
    if (decoder == null) {
      int n = (int) Math.min(bodyLeft, to - from);
      bodyLeft -= n;
      return from + n;
    }
    int at = from;
    while (at >= 0 && at < to && !decoder.done()) {
      at = decoder.step(view, at, to);
    }
    if (decoder.done()) {
      chunks = null;
    }
    return at;
  }
}
