package sluice.http;

import org.jspecify.annotations.Nullable;
import sluice.http.log.AccessLog;
import sluice.http.log.AccessLogRecord;
import sluice.http.log.AccessLogRing;
import sluice.http.parse.Field;
import sluice.http.parse.HttpRequest;
import sluice.http.reply.HttpReplies;
import sluice.http.reply.ReadyReply;
import sluice.loop.Connection;
import sluice.memory.View;

/// Writes one loop's records of the access log. Owned by the loop's thread.
///
/// A short reply is logged when it is staged. A long reply, a stream, any reply that is staged
/// behind one of these, and any reply to a peer that does not read are logged after the kernel has
/// accepted them or the connection has been closed. The record contains the number of bytes of the
/// body that were sent until then.
final class RequestLog {
  private static final int RING_RECORDS = 4096;

  /// The maximum size of a body that is sent in the turn that stages it.
  private static final int SHORT_BODY_BYTES = ReadyReply.COPY_BODY_BYTES;

  /// The maximum number of pending records. Beyond it, replies that follow another reply on the
  /// same connection are logged immediately, as if they had been sent.
  private static final int MOST_WAITING = 8192;

  private static final int MOST_POOLED = 256;

  /// The length of the space and the version at the end of a request line.
  private static final int VERSION_BYTES = " HTTP/1.1".length();

  private final AccessLogRing ring;
  private final HttpRequest request;
  private final HttpReplies replies;
  private @Nullable AccessLogRecord pool;
  private int pooled;
  private int waiting;

  /// @param request the object that holds the most recently parsed request
  /// @param replies provides the status and the body of the most recent reply
  RequestLog(AccessLog log, HttpRequest request, HttpReplies replies) {
    this.ring = log.ring(RING_RECORDS);
    this.request = request;
    this.replies = replies;
  }

  /// Logs the reply to the most recently parsed request, either immediately or after it has been
  /// sent. Called when the reply is staged.
  void replied(Connection connection, HttpSession session) {
    long bodyBytes = replies.lastBodyBytes();
    if (bodyBytes > SHORT_BODY_BYTES || session.logOldest != null || connection.outputBlocked()) {
      AccessLogRecord record = begin(connection, session, replies.lastStatus());
      if (record != null) {
        complete(connection, session, record, bodyBytes);
        return;
      }
    }
    if (ring.begin(
        System.currentTimeMillis(),
        session.addressHigh,
        session.addressLow,
        replies.lastStatus(),
        bodyBytes)) {
      describe();
      ring.commit();
    }
  }

  /// Logs a request that was refused because it could not be parsed.
  ///
  /// @param input the bytes of the request, or null if they are no longer available
  void refused(HttpSession session, @Nullable View input, int from, int to) {
    if (ring.begin(
        System.currentTimeMillis(),
        session.addressHigh,
        session.addressLow,
        replies.lastStatus(),
        replies.lastBodyBytes())) {
      if (input != null) {
        describe(input, from, to);
      }
      ring.commit();
    }
  }

  /// Creates the record of a reply to the most recently parsed request. More of the reply will be
  /// staged later.
  ///
  /// @return the record, or null if too many records are pending, in which case the reply is logged
  ///   when it is complete
  @Nullable AccessLogRecord begin(Connection connection, HttpSession session, int status) {
    if (waiting >= MOST_WAITING && session.logOldest != null) {
      return null;
    }
    waiting++;
    AccessLogRecord record = take();
    ring.begin(record, System.currentTimeMillis(), session.addressHigh, session.addressLow, status);
    describe();
    record.growing = true;
    record.next = null;
    AccessLogRecord newest = session.logNewest;
    if (newest == null) {
      session.logOldest = record;
    } else {
      newest.next = record;
    }
    session.logNewest = record;
    grow(connection, record, 0);
    return record;
  }

  /// Updates a record after more of its reply has been staged.
  ///
  /// @param bodyBytes the number of bytes of the body staged so far
  void grow(Connection connection, AccessLogRecord record, long bodyBytes) {
    record.bodyBytes = bodyBytes;
    record.end = connection.stagedBytes();
  }

  /// Completes a record after the rest of its reply has been staged.
  void complete(
      Connection connection, HttpSession session, AccessLogRecord record, long bodyBytes) {
    grow(connection, record, bodyBytes);
    record.growing = false;
    if (session.logOldest == record) {
      sent(connection, session); // the end of a stream may add no bytes to those taken
    }
  }

  /// Logs the replies that the kernel has accepted.
  void sent(Connection connection, HttpSession session) {
    long sent = connection.sentBytes();
    AccessLogRecord oldest = session.logOldest;
    while (oldest != null && !oldest.growing && oldest.end <= sent) {
      oldest = append(session, oldest, oldest.bodyBytes);
    }
    if (oldest != null && !oldest.growing) {
      connection.awaitSent(oldest.end);
    }
  }

  /// Logs the replies that were not sent completely.
  void closed(Connection connection, HttpSession session) {
    AccessLogRecord oldest = session.logOldest;
    while (oldest != null) {
      oldest = append(session, oldest, oldest.sentOfBody(connection.sentBytes()));
    }
  }

  /// @return the next pending record
  private @Nullable AccessLogRecord append(
      HttpSession session, AccessLogRecord record, long bodyBytes) {
    ring.append(record, bodyBytes);
    AccessLogRecord next = record.next;
    session.logOldest = next;
    if (next == null) {
      session.logNewest = null;
    }
    waiting--;
    if (pooled < MOST_POOLED) {
      record.next = pool;
      pool = record;
      pooled++;
    }
    return next;
  }

  private AccessLogRecord take() {
    AccessLogRecord record = pool;
    if (record == null) {
      return new AccessLogRecord();
    }
    pool = record.next;
    pooled--;
    return record;
  }

  /// Records the first line of a request that could not be parsed.
  private void describe(View input, int from, int to) {
    int start = from;
    while (start < to && (input.get(start) == '\r' || input.get(start) == '\n')) {
      start++;
    }
    int end = input.indexOf((byte) '\n', start, to);
    if (end < 0) {
      end = to;
    } else if (end > start && input.get(end - 1) == '\r') {
      end--;
    }
    ring.line(input, start, end);
  }

  private void describe() {
    View view = request.view();
    int lineEnd = Math.min(view.length(), request.targetTo() + VERSION_BYTES);
    ring.line(view, request.methodFrom(), lineEnd);
    int referrer = request.firstLine(Field.REFERER);
    if (referrer >= 0) {
      ring.referrer(view, request.valueFrom(referrer), request.valueTo(referrer));
    }
    int agent = request.firstLine(Field.USER_AGENT);
    if (agent >= 0) {
      ring.agent(view, request.valueFrom(agent), request.valueTo(agent));
    }
    int trace = request.firstLine(Field.TRACEPARENT);
    if (trace >= 0 && !request.isRepeated(Field.TRACEPARENT)) {
      ring.trace(view, request.valueFrom(trace), request.valueTo(trace));
    }
  }
}
