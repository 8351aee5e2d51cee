package sluice.http.handlers;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import sluice.http.reply.ReplyFields;
import sluice.http.text.Latin1;

/// Answers a request of a slow handler. The status and the fields are set first, then the body is
/// sent, either as a whole or as a stream. The responder is used by the thread that runs the
/// handler.
///
/// The server adds Date, Connection and the framing of the body. In a reply to HEAD it omits the
/// body.
public final class HttpResponder {
  /// The maximum size of a body that is passed to the loop as a whole.
  public static final int PIECE_BYTES = 64 << 10;

  private final SlowCall call;
  private final ByteArrayOutputStream fields = new ByteArrayOutputStream(128);
  private int status = 200;
  private boolean closes;
  private boolean begun;

  HttpResponder(SlowCall call) {
    this.call = call;
  }

  /// Sets the status. The default is 200.
  ///
  /// @param code the status from 200 to 599; a reply with 204 or 304 has no body
  public HttpResponder status(int code) {
    ReplyFields.checkStatus(code);
    requireNotBegun();
    status = code;
    return this;
  }

  /// Adds a header field. Several fields with the same name may be added.
  ///
  /// @param value the value in ISO-8859-1 without control characters
  /// @throws IllegalArgumentException if the field would corrupt the reply, or is set by the server
  ///   itself
  public HttpResponder field(String name, String value) {
    ReplyFields.check(name, value);
    requireNotBegun();
    fields.writeBytes(Latin1.bytes(name + ": " + value + "\r\n"));
    return this;
  }

  /// Resets the status and the fields.
  public HttpResponder reset() {
    requireNotBegun();
    status = 200;
    fields.reset();
    closes = false;
    return this;
  }

  /// Closes the connection after this reply.
  public HttpResponder close() {
    requireNotBegun();
    closes = true;
    return this;
  }

  /// Returns true if the client has disconnected, so that no answer is expected. Writing to a
  /// stream throws an exception in this case.
  public boolean gone() {
    return call.gone();
  }

  /// Aborts the connection in the middle of the reply, so that the client detects that it is
  /// incomplete. Further calls of the answering thread throw an exception. This method has no
  /// effect after the last part of the reply. Any thread may call.
  public void cutOff() {
    call.cutOff();
  }

  /// Returns a number that increases while the body of the request is read and the reply is sent.
  /// Any thread may call.
  public long progress() {
    return call.progress();
  }

  /// Returns true while a thread is waiting for the client to send or to read bytes. Any thread may
  /// call.
  public boolean waitsForClient() {
    return call.waitsForClient();
  }

  /// Answers with a body in UTF-8.
  ///
  /// @throws ClientGoneException if the connection was closed before the reply was complete
  public void send(String body) throws IOException {
    send(body.getBytes(StandardCharsets.UTF_8));
  }

  /// Answers with a body, which must not be modified afterwards. This method blocks while a large
  /// body is being sent.
  ///
  /// @throws ClientGoneException if the connection was closed before the reply was complete
  public void send(byte[] body) throws IOException {
    if (body.length <= PIECE_BYTES) {
      call.complete(begin(body.length), body, body.length);
      return;
    }
    try (OutputStream stream = stream(body.length)) {
      stream.write(body);
    }
  }

  /// Answers with a body on the loop's thread. The client may already have disconnected.
  ///
  /// @param body at most [#PIECE_BYTES] bytes, which must not be modified afterwards
  public void sendHere(byte[] body) {
    if (body.length > PIECE_BYTES) {
      throw new IllegalArgumentException(body.length + " bytes would hold up the loop: use send");
    }
    call.completeHere(begin(body.length), body, body.length);
  }

  /// Answers with a body of unknown length, which is sent in chunks, or for HTTP/1.0 until the
  /// connection is closed. Writes block while the client reads more slowly than the handler writes,
  /// and throw [ClientGoneException] if the client has disconnected. [OutputStream#flush] sends the
  /// bytes written so far. Closing the stream completes the reply. The server closes it when the
  /// handler has returned.
  public OutputStream stream() {
    return call.open(begin(-1));
  }

  /// Answers with a body of known length, which is sent with a Content-Length. See [#stream()].
  ///
  /// @param length the length of the whole body; writing more throws an exception, and closing the
  ///   stream before all of it was written aborts the connection
  public OutputStream stream(long length) {
    if (length < 0) {
      throw new IllegalArgumentException("length must not be negative: " + length);
    }
    return call.open(begin(length));
  }

  private SlowReply.Head begin(long length) {
    requireNotBegun();
    if (length != 0 && ReplyFields.bodiless(status)) {
      throw new IllegalStateException("a reply with status " + status + " has no body");
    }
    begun = true;
    return new SlowReply.Head(status, fields.toByteArray(), length, false, closes);
  }

  private void requireNotBegun() {
    if (begun) {
      throw new IllegalStateException("this request has been answered, or is being answered");
    }
  }
}
