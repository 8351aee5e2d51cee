package sluice.http.front;

import java.util.Arrays;
import sluice.memory.View;

/// Gathers the reply that an application owes to one request, or ends what is kept for the target
/// of a request that may change it. Under the lock of its connection.
final class ReplyCapture {
  private static final int FIRST_BYTES = 1 << 10;
  private static final byte[] NO_BYTES = {};
  private static final byte[] PUBLIC = {'p', 'u', 'b', 'l', 'i', 'c'};

  private final KeptReplies replies;
  private final boolean changes;
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

  /// @param changes the request may change what its target is
  ReplyCapture(
      KeptReplies replies,
      boolean changes,
      boolean ruled,
      KeptReply.Key key,
      int generation,
      long sinceNanos) {
    this.replies = replies;
    this.changes = changes;
    this.ruled = ruled;
    this.key = key;
    this.generation = generation;
    this.sinceNanos = sinceNanos;
  }

  /// The application is about to send bytes of a reply: what it has changed it has changed by now,
  /// and the client does not know yet.
  void beforeReply() {
    if (changes) {
      replies.targetChanged(key.stripe(), key.bytes());
    }
  }

  void append(View view, int from, int to) {
    int more = to - from;
    if (changes || dropped) {
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
    if (!headSeen && !ruled) {
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
    if (!changes && !dropped) {
      replies.offer(this, bytes, count);
    }
  }
}
