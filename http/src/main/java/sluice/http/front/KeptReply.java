package sluice.http.front;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.ETags;
import sluice.http.parse.Field;
import sluice.http.parse.HttpMethod;
import sluice.http.parse.HttpRequest;
import sluice.http.text.Latin1;
import sluice.loop.Output;
import sluice.memory.View;

/// A reply in [KeptReplies]. It consists of the head without connection-specific fields, and the
/// body with its original framing. Immutable except for the fields that are guarded by the table's
/// lock.
final class KeptReply {
  private static final byte[] AGE = Latin1.bytes("Age: ");
  private static final byte[] ENDS = Latin1.bytes("\r\n\r\n");

  /// The result of [#send] if the client already has the reply.
  static final int NOT_MODIFIED = -1;

  private static final int OVERHEAD_BYTES = 256;
  private static final int TAG_BYTES = 128;

  /// The key of the requests that this reply answers, which consists of host, target and codings.
  final byte[] key;

  final long hash;

  private final byte[] target;
  final long targetHash;

  final long freshUntilNanos;
  final Set<String> tags;
  private final byte[] head;
  private final byte[] notModifiedHead;
  private final byte[] body;
  private final byte[] etag;
  private final byte[] modified;

  /// The time at which the age of the reply was 0.
  private final long bornNanos;

  // The following fields are guarded by the table's lock.
  @Nullable KeptReply next;
  @Nullable KeptReply nextOfTarget;
  @Nullable KeptReply previousOfTarget;
  @Nullable KeptReply older;
  @Nullable KeptReply newer;
  boolean used;
  boolean kept;

  /// The key of a reply.
  ///
  /// @param bytes the host, target and codings
  /// @param target only the target, because an invalidation applies to all replies of a target
  @SuppressWarnings("ArrayRecordComponent") // compared by [#answers] and [#isOf]
  record Key(byte[] bytes, byte[] target, long hash, long targetHash) {
    String targetText() {
      return new String(target, StandardCharsets.ISO_8859_1);
    }
  }

  /// The contents of a reply.
  ///
  /// @param head the status line and fields, each line with CRLF, without the empty line
  /// @param notModifiedHead the corresponding head of a 304
  /// @param etag the entity tag with quotes, or an empty string if there is none
  /// @param modified the value of Last-Modified, or an empty string if there is none
  /// @param freshSeconds the time from age 0 for which the reply is fresh
  @SuppressWarnings("ArrayRecordComponent") // never compared, and handed over once
  record Parts(
      byte[] head,
      byte[] notModifiedHead,
      byte[] body,
      byte[] etag,
      byte[] modified,
      Set<String> tags,
      long freshSeconds) {
    static Parts of(ReplyHead head, byte[] body, Set<String> tags, long freshSeconds) {
      return new Parts(
          head.kept(),
          head.notModified(),
          body,
          Latin1.bytes(head.value("etag")),
          Latin1.bytes(head.value("last-modified")),
          tags,
          freshSeconds);
    }
  }

  /// @param bornNanos the time at which the age of the reply was 0
  KeptReply(Key key, Parts parts, long bornNanos) {
    this.key = key.bytes;
    this.hash = key.hash;
    this.target = key.target;
    this.targetHash = key.targetHash;
    this.head = parts.head;
    this.notModifiedHead = parts.notModifiedHead;
    this.body = parts.body;
    this.etag = parts.etag;
    this.modified = parts.modified;
    this.tags = parts.tags;
    this.bornNanos = bornNanos;
    this.freshUntilNanos = bornNanos + parts.freshSeconds * 1_000_000_000L;
  }

  boolean isFresh(long nowNanos) {
    return freshUntilNanos - nowNanos > 0;
  }

  int chargedBytes() {
    int all = key.length + target.length + head.length + notModifiedHead.length + body.length;
    return all + OVERHEAD_BYTES + tags.size() * TAG_BYTES;
  }

  /// Returns true if this reply was added by `put`, in which case it applies to all hosts.
  boolean isForAllHosts() {
    return key[0] == '\n';
  }

  boolean isOf(long otherHash, byte[] other) {
    return targetHash == otherHash && Arrays.equals(target, other);
  }

  boolean answers(byte[] other) {
    return Arrays.equals(key, other);
  }

  /// Stages this reply. Called on the loop's thread.
  ///
  /// @return the number of bytes of the body, or [#NOT_MODIFIED]
  int send(HttpRequest request, Output out, long nowNanos) {
    boolean same = isTheSame(request);
    out.put(same ? notModifiedHead : head);
    out.put(AGE);
    out.put(Latin1.bytes(Long.toString(Math.max(0, nowNanos - bornNanos) / 1_000_000_000L)));
    out.put(ENDS);
    if (same) {
      return NOT_MODIFIED;
    }
    if (request.method() == HttpMethod.HEAD) {
      return 0;
    }
    out.put(body);
    return body.length;
  }

  /// Returns true if the client already has the reply (RFC 9110, 13.2.2; RFC 9111, 4.3.2).
  private boolean isTheSame(HttpRequest request) {
    if (request.has(Field.IF_NONE_MATCH)) {
      return etag.length > 0 && ETags.listMatches(request, Field.IF_NONE_MATCH, etag, false);
    }
    int line = request.firstLine(Field.IF_MODIFIED_SINCE);
    if (line < 0 || modified.length == 0) {
      return false;
    }
    View view = request.view();
    int from = request.valueFrom(line);
    return request.valueTo(line) - from == modified.length && view.startsWith(modified, from);
  }
}
