package sluice.http.handlers;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.ChunkedDecoder;
import sluice.memory.Account;
import sluice.memory.View;

/// Collects the body of a request for a slow handler. Owned by the loop's thread.
///
/// Memory is allocated according to the number of bytes received rather than the announced length,
/// so a client that announces a long body but sends little occupies little memory. The memory is
/// charged to the loop's account.
public final class Upload {
  private static final int FIRST_BYTES = 4 << 10;

  final BoundRoute route;
  final HttpMessage message;
  private final Account account;
  private final @Nullable ChunkedDecoder chunks;
  private final long announced;
  private byte[] body = {};
  private int length;
  private long charged;

  /// @param announced the length of the body, or a negative number if it is chunked
  Upload(BoundRoute route, HttpMessage message, Account account, long announced) {
    this.route = route;
    this.message = message;
    this.account = account;
    this.announced = announced;
    this.chunks = announced < 0 ? new ChunkedDecoder(route.route.bodyBytes()) : null;
  }

  boolean done() {
    return chunks == null ? length == announced : chunks.done();
  }

  /// Consumes the available part of the body.
  ///
  /// @return the end of the consumed part in `[from, to]`, or a negative status if the body is
  ///   malformed or too large, or if there is no memory (-503)
  int take(View view, int from, int to) {
    ChunkedDecoder decoder = chunks;
    if (decoder == null) {
      int count = (int) Math.min(announced - length, to - from);
      return append(view, from, count) ? from + count : -503;
    }
    int at = from;
    while (at < to && !decoder.done()) {
      at = decoder.step(view, at, to);
      if (at < 0) {
        return at;
      }
      if (!append(view, decoder.dataFrom(), decoder.dataTo() - decoder.dataFrom())) {
        return -503;
      }
    }
    return at;
  }

  private boolean append(View view, int from, int count) {
    int need = length + count;
    if (need > body.length) {
      long most = announced < 0 ? route.route.bodyBytes() : announced;
      int size = (int) Math.min(most, Math.max(need, Math.max(FIRST_BYTES, 2L * body.length)));
      if (!account.tryCharge(size - (long) body.length)) {
        return false;
      }
      charged += size - (long) body.length;
      body = Arrays.copyOf(body, size);
    }
    view.copyTo(from, body, length, count);
    length = need;
    return true;
  }

  /// Returns the request including its body.
  HttpMessage complete() {
    return message.withBody(length == body.length ? body : Arrays.copyOf(body, length));
  }

  /// Returns the bytes charged to the account, including those of the head.
  long charged() {
    return message.head().length + charged;
  }

  /// Returns the head of the request. The array is not a copy and must not be modified.
  public byte[] head() {
    return message.head();
  }
}
