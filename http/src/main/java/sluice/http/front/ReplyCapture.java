package sluice.http.front;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;

/// Gathers the reply that an application owes to one request, or ends what is kept for the target
/// of a request that may change it. Under the lock of its connection.
final class ReplyCapture {
  private static final int FIRST_BYTES = 1 << 10;

  /// A longer head of a reply to a request that may change something is not looked at.
  private static final int MOST_HEAD_BYTES = 16 << 10;

  private static final byte[] NO_BYTES = {};
  private static final byte[] PUBLIC = {'p', 'u', 'b', 'l', 'i', 'c'};

  private final KeptReplies replies;

  /// Of a request that may change its target; null otherwise.
  private final @Nullable String changesOfHost;

  final KeptReply.Key key;

  /// How often something of the target was ended before the request was passed on.
  final int generation;

  /// When the request was passed on.
  final long sinceNanos;

  /// The path has a rule: its replies need not say that they are public.
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

  /// The application is about to send bytes of a reply: what it has changed it has changed by now,
  /// and the client does not know yet.
  void beforeReply() {
    if (changesOfHost != null) {
      replies.targetChanged(key);
    }
  }

  /// Whether [#beforeHead] is to be called with what is about to be sent of this reply.
  boolean awaitsHead() {
    return changesOfHost != null && !headSeen && !dropped;
  }

  /// Ends the other targets that a head names which is complete with the bytes that are about to be
  /// sent.
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

  /// Begins anew: an interim reply was appended, and the final one is still to come.
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

  /// Most replies are not for all: what cannot be kept is not copied further.
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

  /// All of the reply was appended.
  void complete() {
    if (changesOfHost == null && !dropped) {
      replies.offer(this, bytes, count);
    }
  }
}
