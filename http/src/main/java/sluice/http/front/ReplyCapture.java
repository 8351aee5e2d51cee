package sluice.http.front;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;

/// Collects the reply that an application owes to a request, or invalidates the cached replies for
/// the target of a request that may change it. Guarded by the lock of its connection.
final class ReplyCapture {
  private static final int FIRST_BYTES = 1 << 10;

  /// The maximum size of a head that is examined in the reply to a request that may change
  /// something.
  private static final int MOST_HEAD_BYTES = 16 << 10;

  private static final byte[] NO_BYTES = {};
  private static final byte[] PUBLIC = {'p', 'u', 'b', 'l', 'i', 'c'};

  private final KeptReplies replies;

  /// The host of a request that may change its target, or null otherwise.
  private final @Nullable String changesOfHost;

  final KeptReply.Key key;

  /// The generation of the target when the request was forwarded.
  final int generation;

  /// The time at which the request was forwarded.
  final long sinceNanos;

  /// True if the path has a rule, in which case its replies need not specify `public`.
  private final boolean ruled;

  private byte[] bytes = NO_BYTES;
  private int count;
  private boolean headSeen;
  private boolean dropped;

  /// @param changesOfHost the host of a request that may change its target, or null otherwise
  ReplyCapture(
      KeptReplies replies,
      @Nullable String changesOfHost,
      boolean ruled,
      KeptReply.Key key,
      int generation,
      long sinceNanos) {
    this.replies = replies;
    this.changesOfHost = changesOfHost;
    this.ruled = ruled;
    this.key = key;
    this.generation = generation;
    this.sinceNanos = sinceNanos;
  }

  /// Invalidates the target's replies before bytes of the reply are sent. At this time the
  /// application has already made its change, but the client has not been notified of it.
  void beforeReply() {
    if (changesOfHost != null) {
      replies.targetChanged(key);
    }
  }

  /// Returns true if [#beforeHead] must be called with the bytes of this reply that are about to be
  /// sent.
  boolean awaitsHead() {
    return changesOfHost != null && !headSeen && !dropped;
  }

  /// Invalidates the other targets that the head names if it is completed by the bytes that are
  /// about to be sent.
  void beforeHead(View view, int from, int to) {
    byte[] joined = Arrays.copyOf(bytes, count + Math.min(to - from, MOST_HEAD_BYTES));
    view.copyTo(from, joined, count, joined.length - count);
    endNamedTargets(joined, joined.length);
  }

  private void endNamedTargets(byte[] head, int length) {
    ReplyHead found = ReplyHead.of(head, length);
    if (found != null && changesOfHost != null) {
      headSeen = true;
      List<String> named = ChangedTargets.of(found, changesOfHost, key.targetText());
      named.forEach(replies::purge);
    }
  }

  /// Discards the bytes collected so far, because they are an interim reply that precedes the final
  /// one.
  void restart() {
    count = 0;
    headSeen = false;
    dropped = false;
  }

  void append(View view, int from, int to) {
    int more = to - from;
    if (dropped || (changesOfHost != null && headSeen)) {
      return;
    }
    if (changesOfHost != null && count + more > MOST_HEAD_BYTES) {
      beforeHead(view, from, to);
      drop();
      return;
    }
    if (count + more > KeptReplies.MOST_REPLY_BYTES) {
      drop();
      return;
    }
    if (bytes.length < count + more) {
      int wanted = Math.max(FIRST_BYTES, Math.max(2 * bytes.length, count + more));
      bytes = Arrays.copyOf(bytes, wanted);
    }
    view.copyTo(from, bytes, count, more);
    int before = count;
    count += more;
    if (changesOfHost != null) {
      endNamedTargets(bytes, count);
    } else if (!headSeen && !ruled) {
      lookAtHead(Math.max(0, before - 3));
    }
  }

  /// Stops copying a reply that cannot be cached, which applies to most replies.
  private void lookAtHead(int from) {
    for (int i = from; i + 4 <= count; i++) {
      if (bytes[i] == '\r'
          && bytes[i + 2] == '\r'
          && bytes[i + 1] == '\n'
          && bytes[i + 3] == '\n') {
        headSeen = true;
        if (!saysPublic(i)) {
          drop();
        }
        return;
      }
    }
  }

  private boolean saysPublic(int to) {
    for (int i = 0; i + PUBLIC.length <= to; i++) {
      int at = 0;
      while (at < PUBLIC.length && (bytes[i + at] | 0x20) == PUBLIC[at]) {
        at++;
      }
      if (at == PUBLIC.length) {
        return true;
      }
    }
    return false;
  }

  private void drop() {
    dropped = true;
    bytes = NO_BYTES;
  }

  /// Offers the complete reply to the cache.
  void complete() {
    if (changesOfHost == null && !dropped) {
      replies.offer(this, bytes, count);
    }
  }
}
