package sluice.http.handlers;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.HttpMethod;
import sluice.http.parse.HttpRequest;
import sluice.http.reply.HttpReplies;
import sluice.http.reply.ReplyFields;
import sluice.http.text.Digits;
import sluice.loop.Connection;
import sluice.loop.Output;
import sluice.loop.OutputMark;
import sluice.memory.View;
import sluice.memory.block.Block;

/// The reply of an [HttpInterruptlet], written directly into the connection's output: status, then
/// fields, then body. Nothing is copied twice and nothing allocated. Owned by one loop, which lends
/// the same object to every handler; it must not be used after the handler has returned.
///
/// The server adds Date, Content-Length and Connection. In a reply to HEAD the body is counted and
/// left out. A method called out of order throws [IllegalStateException]; the request is then
/// answered 500.
///
/// ```
/// reply.status(200).field("Content-Type", "text/plain").text("hits: ").number(hits);
/// return true;
/// ```
public final class HttpReply {
  private static final int LENGTH_DIGITS = 10;
  private static final int SCRATCH_BYTES = 256;

  private enum State {
    DEAD,
    STATUS,
    FIELDS,
    BODY
  }

  private final HttpReplies replies;
  private final OutputMark mark = new OutputMark();
  private final byte[] scratch = new byte[SCRATCH_BYTES];
  private final byte[] digits = new byte[20];

  private @Nullable Output out;
  private State state = State.DEAD;
  private byte[] connectionField = HttpReplies.NONE;
  private boolean headOnly;
  private boolean bodiless;
  private int status;
  private long bodyBytes;

  HttpReply(HttpReplies replies) {
    this.replies = replies;
  }

  // ---- for the server -----------------------------------------------------------------------

  /// Begins a reply.
  ///
  /// @param field `NONE`, `CLOSE` or `KEEP_ALIVE`
  void begin(Connection connection, HttpRequest request, byte[] field) {
    Output output = connection.output();
    out = output;
    mark.set(output);
    state = State.STATUS;
    connectionField = field;
    headOnly = request.method() == HttpMethod.HEAD;
    bodiless = false;
    bodyBytes = 0;
  }

  /// Completes the reply.
  void finish() {
    if (state != State.BODY) {
      endHead();
    }
    if (!bodiless) {
      int length = Digits.put(bodyBytes, digits);
      mark.fill(digits, digits.length - length, length);
    }
    replies.noted(status, headOnly ? 0 : bodyBytes);
    end();
  }

  /// Discards all bytes written.
  void discard() {
    mark.rollback();
    end();
  }

  private void end() {
    state = State.DEAD;
    out = null;
    mark.clear();
  }

  /// Returns true if the connection is closed after this reply.
  boolean closes() {
    return connectionField == HttpReplies.CLOSE;
  }

  // ---- for the handler ----------------------------------------------------------------------

  /// Sets the status, first and once; the default is 200.
  ///
  /// @param code 200 to 599; a reply with 204 or 304 has no body
  public HttpReply status(int code) {
    ReplyFields.checkStatus(code);
    require(state == State.STATUS, "status");
    status = code;
    bodiless = ReplyFields.bodiless(code);
    replies.startUnmeasured(output(), code);
    if (!bodiless) {
      output().put(HttpReplies.CONTENT_LENGTH_FIELD);
      mark.reserve(LENGTH_DIGITS);
      output().put(HttpReplies.CRLF);
    }
    state = State.FIELDS;
    return this;
  }

  /// Adds a header field. May be called several times with the same name.
  ///
  /// @param value in ISO-8859-1, without control characters
  /// @throws IllegalArgumentException if the field would break the reply, or the server sets it
  ///   itself
  public HttpReply field(String name, String value) {
    ReplyFields.check(name, value);
    fields("field");
    latin1(name);
    output().put((byte) ':');
    output().put((byte) ' ');
    latin1(value);
    output().put(HttpReplies.CRLF);
    return this;
  }

  /// Closes the connection after this reply. To be called before the body.
  public HttpReply close() {
    fields("close");
    connectionField = HttpReplies.CLOSE;
    return this;
  }

  /// Adds bytes to the body.
  public HttpReply body(byte[] bytes) {
    return body(bytes, 0, bytes.length);
  }

  /// Adds bytes to the body.
  public HttpReply body(byte[] bytes, int from, int count) {
    if (add(count)) {
      output().put(bytes, from, count);
    }
    return this;
  }

  /// Adds bytes of the request to the body.
  public HttpReply body(View view, int from, int to) {
    int at = from;
    while (at < to) {
      int count = Math.min(to - at, SCRATCH_BYTES);
      view.copyTo(at, scratch, 0, count);
      body(scratch, 0, count);
      at += count;
    }
    return this;
  }

  /// Adds bytes of a block to the body. If they are many, they are sent without a copy, under a
  /// lease.
  public HttpReply body(Block block, long offset, int count) {
    if (add(count)) {
      output().append(block, offset, count);
    }
    return this;
  }

  /// Adds text to the body, in UTF-8. Allocates nothing for ASCII.
  public HttpReply text(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return body(text.getBytes(StandardCharsets.UTF_8));
      }
    }
    if (add(text.length())) {
      latin1(text);
    }
    return this;
  }

  /// Adds a decimal number to the body.
  public HttpReply number(long value) {
    int length = Digits.put(value, digits);
    return body(digits, digits.length - length, length);
  }

  /// Returns the number of bytes of the body so far.
  public long bodyBytes() {
    return bodyBytes;
  }

  // ---- writing ------------------------------------------------------------------------------

  private void fields(String what) {
    if (state == State.STATUS) {
      status(200);
    }
    require(state == State.FIELDS, what);
  }

  private void endHead() {
    fields("end of head");
    output().put(connectionField);
    output().put(HttpReplies.CRLF);
    state = State.BODY;
  }

  /// @return true if the bytes are sent
  private boolean add(int count) {
    if (state != State.BODY) {
      endHead();
    }
    require(!bodiless, "body");
    bodyBytes += count;
    return !headOnly && count > 0;
  }

  private Output output() {
    Output output = out;
    if (output == null) {
      throw new IllegalStateException("this reply is over: its handler has returned");
    }
    return output;
  }

  private void require(boolean right, String what) {
    output();
    if (!right) {
      throw new IllegalStateException(what + " comes too late, or not with status " + status);
    }
  }

  @SuppressWarnings("deprecation") // the only method that copies Latin-1 without allocating
  private void latin1(String text) {
    int at = 0;
    while (at < text.length()) {
      int count = Math.min(text.length() - at, SCRATCH_BYTES);
      text.getBytes(at, at + count, scratch, 0);
      output().put(scratch, 0, count);
      at += count;
    }
  }
}
