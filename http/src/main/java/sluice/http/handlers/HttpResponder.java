package sluice.http.handlers;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import sluice.http.reply.ReplyFields;
import sluice.http.text.Latin1;

/// Answers one request from a slow handler: status and fields, then a body, complete or as a
/// stream. Used by the thread that runs the handler.
///
/// The server adds Date, the framing of the body and Connection; in a reply to HEAD it leaves the
/// body out.
public final class HttpResponder {
  /// The greatest size of a body that goes to the loop in one piece.
  public static final int PIECE_BYTES = 64 << 10;

  private final SlowCall call;
  private final ByteArrayOutputStream fields = new ByteArrayOutputStream(128);
  private int status = 200;
  private boolean closes;
  private boolean begun;

  HttpResponder(SlowCall call) {
    this.call = call;
  }

  /// Sets the status; the default is 200.
  ///
  /// @param code 200 to 599; a reply with 204 or 304 has no body
  public HttpResponder status(int code) {
    ReplyFields.checkStatus(code);
    requireNotBegun();
    status = code;
    return this;
  }

  /// Adds a header field. May be called several times with the same name.
  ///
  /// @param value in ISO-8859-1, without control characters
  /// @throws IllegalArgumentException if the field would break the reply, or the server sets it
  ///   itself
  public HttpResponder field(String name, String value) {
    ReplyFields.check(name, value);
    requireNotBegun();
    fields.writeBytes(Latin1.bytes(name + ": " + value + "\r\n"));
    return this;
  }

  /// Resets status and fields.
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

  /// Returns true if the client has gone, so that nothing waits for the answer. Writing to a stream
  /// throws in this case.
  public boolean gone() {
    return call.gone();
  }

  /// Ends the connection in the middle of the reply, so that the client notices that it is
  /// incomplete. The answering thread's further calls throw. Has no effect after the last piece.
  /// Any thread may call.
  public void cutOff() {
    call.cutOff();
  }

  /// Returns a number that grows while the body of the request is read and the reply is sent. Any
  /// thread may call.
  public long progress() {
    return call.progress();
  }

  /// Returns true while a thread waits for the client: to send, or to read. Any thread may call.
  public boolean waitsForClient() {
    return call.waitsForClient();
  }

  /// Answers with a body in UTF-8.
  ///
  /// @throws ClientGoneException if the connection ended before the reply did
  public void send(String body) throws IOException {
    send(body.getBytes(StandardCharsets.UTF_8));
  }

  /// Answers with a body, which must not be changed any more. Blocks while a large body is being
  /// sent.
  ///
  /// @throws ClientGoneException if the connection ended before the reply did
  public void send(byte[] body) throws IOException {
    if (body.length <= PIECE_BYTES) {
      call.complete(begin(body.length), body, body.length);
      return;
    }
    try (OutputStream stream = stream(body.length)) {
      stream.write(body);
    }
  }

  /// Answers with a body, on the loop's thread. The client may have gone.
  ///
  /// @param body at most [#PIECE_BYTES] bytes; not to be changed any more
  public void sendHere(byte[] body) {
    if (body.length > PIECE_BYTES) {
      throw new IllegalArgumentException(body.length + " bytes would hold up the loop: use send");
    }
    call.completeHere(begin(body.length), body, body.length);
  }

  /// Answers with a body of unknown length: in chunks, or to HTTP/1.0 until the connection ends.
  /// Writes block while the client reads slower than the handler writes, and throw
  /// [ClientGoneException] when the client has gone. [OutputStream#flush] sends the bytes written
  /// so far. Closing completes the reply; the server closes the stream when the handler has
  /// returned.
  public OutputStream stream() {
    return call.open(begin(-1));
  }

  /// Answers with a body of known length, with a Content-Length; see [#stream()].
  ///
  /// @param length of the whole body; writing more throws, and closing before all of it was written
  ///   cuts the connection off
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
