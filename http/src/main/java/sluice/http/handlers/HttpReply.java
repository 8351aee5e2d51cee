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

/// The reply of an [HttpInterruptlet], which is written directly to the connection's output. The
/// status must be written first, then the fields, then the body. Nothing is copied twice and
/// nothing is allocated. A reply is owned by one loop, which passes the same object to every
/// handler, so it must not be used after the handler has returned.
///
/// The server adds Date, Content-Length and Connection. In a reply to HEAD the body is counted but
/// not sent. If methods are called in the wrong order, an [IllegalStateException] is thrown, and
/// the request is then answered 500.
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

  /// Starts a reply.
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

  /// Discards all bytes that have been written.
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

  /// Sets the status. This method may only be called once and before any other method. The default
  /// is 200.
  ///
  /// @param code the status from 200 to 599; a reply with 204 or 304 has no body
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

  /// Adds a header field. Several fields with the same name may be added.
  ///
  /// @param value the value in ISO-8859-1 without control characters
  /// @throws IllegalArgumentException if the field would corrupt the reply, or is set by the server
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

  /// Closes the connection after this reply. This method must be called before the body is written.
  public HttpReply close() {
    fields("close");
    connectionField = HttpReplies.CLOSE;
    return this;
  }

  /// Appends bytes to the body.
  public HttpReply body(byte[] bytes) {
    return body(bytes, 0, bytes.length);
  }

  /// Appends bytes to the body.
  public HttpReply body(byte[] bytes, int from, int count) {
    if (add(count)) {
      output().put(bytes, from, count);
    }
    return this;
  }

  /// Appends bytes of the request to the body.
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

  /// Appends bytes of a block to the body. A large number of bytes is sent without a copy under a
  /// lease.
  public HttpReply body(Block block, long offset, int count) {
    if (add(count)) {
      output().append(block, offset, count);
    }
    return this;
  }

  /// Appends text to the body in UTF-8. Nothing is allocated if the text is ASCII.
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

  /// Appends a decimal number to the body.
  public HttpReply number(long value) {
    int length = Digits.put(value, digits);
    return body(digits, digits.length - length, length);
  }

  /// Returns the number of bytes that have been appended to the body.
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

  /// @return true if the bytes are to be sent
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
