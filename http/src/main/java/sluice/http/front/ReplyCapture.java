package sluice.http.front;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;

/// Collects the reply that an application owes to one request, or invalidates the kept replies for
/// the target of a request that may change it. Guarded by the lock of its connection.
final class ReplyCapture {
  private static final int FIRST_BYTES = 1 << 10;

  /// The longest head that is examined in a reply to a request that may change something.
  private static final int MOST_HEAD_BYTES = 16 << 10;

  private static final byte[] NO_BYTES = {};
  private static final byte[] PUBLIC = {'p', 'u', 'b', 'l', 'i', 'c'};

  private final KeptReplies replies;

  /// The host of a request that may change its target; null otherwise.
  private final @Nullable String changesOfHost;

  final KeptReply.Key key;

  /// The generation of the target when the request was passed on.
  final int generation;

  /// The time when the request was passed on.
  final long sinceNanos;

  /// True if the path has a rule, so that its replies need not say `public`.
  private final boolean ruled;

  private byte[] bytes = NO_BYTES;
  private int count;
  private boolean headSeen;
  private boolean dropped;

  /// @param changesOfHost the host of a request that may change its target; null otherwise
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

  /// Invalidates the target's replies before bytes of the reply are sent: by now the application
  /// has made its change, and the client does not know of it yet.
  void beforeReply() {
    if (changesOfHost != null) {
      replies.targetChanged(key);
    }
  }

  /// Returns true if [#beforeHead] has to be called with the bytes of this reply that are about to
  /// be sent.
  boolean awaitsHead() {
    return changesOfHost != null && !headSeen && !dropped;
  }

  /// Invalidates the other targets that the head names, if the bytes that are about to be sent
  /// complete it.
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

  /// Starts over: an interim reply was appended, and the final one is still to come.
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

  /// Stops copying a reply that cannot be kept, which most replies cannot.
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
