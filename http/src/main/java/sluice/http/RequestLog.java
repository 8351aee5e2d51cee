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

/// What one loop tells the access log. Owned by the loop's thread.
///
/// A short reply is logged when it is staged. A long one, a stream, and what is staged behind them
/// or for a peer that does not read, is logged when the kernel has taken it or the connection has
/// ended, with the bytes of the body that were sent by then.
final class RequestLog {
  private static final int RING_RECORDS = 4096;

  /// Bodies up to this size leave with the turn that stages them.
  private static final int SHORT_BODY_BYTES = ReadyReply.COPY_BODY_BYTES;

  /// Replies that may be waited for. Beyond it, those behind another of their connection are logged
  /// at once, as if they had been sent.
  private static final int MOST_WAITING = 8192;

  private static final int MOST_POOLED = 256;

  /// A space and the version at the end of a request line.
  private static final int VERSION_BYTES = " HTTP/1.1".length();

  private final AccessLogRing ring;
  private final HttpRequest request;
  private final HttpReplies replies;
  private @Nullable AccessLogRecord pool;
  private int pooled;
  private int waiting;

  /// @param request that was parsed last
  /// @param replies tell status and body of the reply written last
  RequestLog(AccessLog log, HttpRequest request, HttpReplies replies) {
    this.ring = log.ring(RING_RECORDS);
    this.request = request;
    this.replies = replies;
  }

  /// The reply to the request that was parsed last is staged.
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

  /// A request that cannot be read was refused.
  ///
  /// @param input null when nothing is left of it
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

  /// A part of the reply to the request that was parsed last is staged, and more will be.
  ///
  /// @return null when too many are waited for: it is logged when it is complete, if ever
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

  /// More of the reply is staged.
  ///
  /// @param bodyBytes of its body so far
  void grow(Connection connection, AccessLogRecord record, long bodyBytes) {
    record.bodyBytes = bodyBytes;
    record.end = connection.stagedBytes();
  }

  /// The rest of the reply is staged.
  void complete(
      Connection connection, HttpSession session, AccessLogRecord record, long bodyBytes) {
    grow(connection, record, bodyBytes);
    record.growing = false;
    if (session.logOldest == record) {
      sent(connection, session); // the end of a stream may add nothing to what was taken
    }
  }

  /// Logs what the kernel has taken.
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

  /// Logs what was not sent in full.
  void closed(Connection connection, HttpSession session) {
    AccessLogRecord oldest = session.logOldest;
    while (oldest != null) {
      oldest = append(session, oldest, oldest.sentOfBody(connection.sentBytes()));
    }
  }

  /// @return the next that is waited for
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

  /// The first line of what could not be read.
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
