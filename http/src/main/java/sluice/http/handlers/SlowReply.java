package sluice.http.handlers;

import org.jspecify.annotations.Nullable;
import sluice.http.log.AccessLogRecord;
import sluice.http.parse.HttpMethod;
import sluice.http.reply.HttpReplies;
import sluice.http.text.Latin1;
import sluice.loop.Connection;
import sluice.loop.Output;
import sluice.loop.ReplyTicket;

/// The loop's side of a slow handler's reply, which stages the segments that [SlowCall] sends.
/// Owned by the loop's thread, except for [#piece].
public final class SlowReply {
  private static final byte[] LAST_CHUNK = Latin1.bytes("0\r\n\r\n");

  /// The protocol in which the reply is staged.
  public interface Stream {
    /// Returns true if no request is answered on the connection after this reply.
    boolean closing(Connection connection);

    /// Called when a segment has been staged and more will follow.
    ///
    /// @param first true for the first segment
    void streams(Connection connection, SlowReply reply, boolean first);

    /// Called when the last segment has been staged.
    void repliedSlowly(Connection connection, SlowReply reply, boolean keep);
  }

  /// The status and fields of a reply.
  ///
  /// @param length the length of the body, or a negative number if it is unknown
  /// @param page true if the body is the error page of the status
  /// @param closes true if the connection must be closed after the reply
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Head(int status, byte[] fields, long length, boolean page, boolean closes) {
    static Head error(int status) {
      return new Head(status, HttpReplies.NONE, 0, true, false);
    }
  }

  private final Stream stream;
  private final HttpReplies replies;
  private final HttpMessage message;
  private int status;
  private boolean chunked;
  private boolean keep;
  private long sentBytes;

  /// The pending record of the access log.
  public @Nullable AccessLogRecord record;

  SlowReply(Stream stream, HttpReplies replies, HttpMessage message) {
    this.stream = stream;
    this.replies = replies;
    this.message = message;
  }

  /// Returns the head of the request. The array is not a copy and must not be modified.
  public byte[] requestHead() {
    return message.head();
  }

  public int status() {
    return status;
  }

  /// Returns the number of bytes of the body that have been staged.
  public long sentBytes() {
    return sentBytes;
  }

  /// Returns a segment of the reply. Any thread may call.
  ///
  /// @param head the head for the first segment, or null for the others
  /// @param bytes must not be modified until the ticket indicates that there is space
  ReplyTicket.Piece piece(@Nullable Head head, byte[] bytes, int count, boolean last) {
    return connection -> stage(connection, head, bytes, isHead() ? 0 : count, last);
  }

  private boolean isHead() {
    return message.method() == HttpMethod.HEAD;
  }

  private void stage(
      Connection connection, @Nullable Head head, byte[] bytes, int count, boolean last) {
    boolean closing = stream.closing(connection);
    Output out = connection.output();
    if (head != null) {
      replies.updateDate();
      stageHead(out, head, closing);
    }
    if (count > 0) {
      if (chunked) {
        out.put(Latin1.bytes(Integer.toHexString(count) + "\r\n"));
      }
      out.put(bytes, 0, count);
      if (chunked) {
        out.put(HttpReplies.CRLF);
      }
      sentBytes += count;
    }
    if (!last) {
      stream.streams(connection, this, head != null);
      return;
    }
    if (chunked && !isHead()) {
      out.put(LAST_CHUNK);
    }
    replies.noted(status, sentBytes);
    stream.repliedSlowly(connection, this, keep && !closing);
  }

  private void stageHead(Output out, Head head, boolean closing) {
    boolean unknown = head.length < 0;
    status = head.status;
    chunked = unknown && message.minorVersion() > 0;
    keep = message.keepAlive() && !head.closes && !closing && (!unknown || chunked);
    byte[] page = head.page ? replies.page(head.status) : null;
    byte[] fields = head.fields;
    if (page != null) {
      fields = HttpReplies.HTML;
    } else if (chunked) {
      fields = HttpReplies.joined(HttpReplies.CHUNKED_FIELD, fields);
    }
    byte[] connectionField = HttpReplies.connectionField(keep, message.minorVersion());
    replies.head(out, status, page == null ? head.length : page.length, fields, connectionField);
    if (page != null && !isHead()) {
      out.put(page);
      sentBytes = page.length;
    }
  }
}
