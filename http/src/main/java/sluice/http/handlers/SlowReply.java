package sluice.http.handlers;

import org.jspecify.annotations.Nullable;
import sluice.http.log.AccessLogRecord;
import sluice.http.parse.HttpMethod;
import sluice.http.reply.HttpReplies;
import sluice.http.text.Latin1;
import sluice.loop.Connection;
import sluice.loop.Output;
import sluice.loop.ReplyTicket;

/// The loop's side of a slow handler's reply: stages the pieces that [SlowCall] sends. Owned by the
/// loop's thread, except for [#piece].
public final class SlowReply {
  private static final byte[] LAST_CHUNK = Latin1.bytes("0\r\n\r\n");

  /// The protocol in which the reply is staged.
  public interface Stream {
    /// Returns true if no request is answered on the connection after this reply.
    boolean closing(Connection connection);

    /// Called when a piece is staged, and more follow.
    ///
    /// @param first true for the first piece
    void streams(Connection connection, SlowReply reply, boolean first);

    /// Called when the last piece is staged.
    void repliedSlowly(Connection connection, SlowReply reply, boolean keep);
  }

  /// The status and fields of a reply.
  ///
  /// @param length of the body; negative if it is unknown
  /// @param page true if the body is the error page of the status
  /// @param closes true if the handler wants the connection to end after the reply
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

  /// The record of the access log, while it waits.
  public @Nullable AccessLogRecord record;

  SlowReply(Stream stream, HttpReplies replies, HttpMessage message) {
    this.stream = stream;
    this.replies = replies;
    this.message = message;
  }

  /// Returns the head of the request. Not a copy, and not to be changed.
  public byte[] requestHead() {
    return message.head();
  }

  public int status() {
    return status;
  }

  /// Returns the number of bytes of the body that are staged.
  public long sentBytes() {
    return sentBytes;
  }

  /// Returns a part of the reply. Any thread.
  ///
  /// @param head for the first piece, null for the others
  /// @param bytes not to be changed before the ticket says that there is room
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
