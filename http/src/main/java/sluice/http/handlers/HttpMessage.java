package sluice.http.handlers;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import sluice.http.log.Log;
import sluice.http.parse.HttpMethod;
import sluice.http.parse.HttpRequest;
import sluice.http.parse.RequestPath;
import sluice.http.reply.HttpReplies;

/// A copy of a request and its body for use by a slow handler outside of the loop. Immutable, so
/// any thread may read it at any time.
public final class HttpMessage {
  private final byte[] head;
  private final int[] lines;
  private final HttpMethod method;
  private final int methodFrom;
  private final int methodTo;
  private final int targetTo;
  private final int pathFrom;
  private final int pathTo;
  private final boolean hasQuery;
  private final int minorVersion;
  private final boolean keepAlive;
  private byte[] body = HttpReplies.NONE;
  private @Nullable StreamedBody stream;

  /// Copies the head of a request.
  HttpMessage(HttpRequest request) {
    int from = request.from();
    head = new byte[request.headLength()];
    request.view().copyTo(from, head, 0, head.length);
    lines = request.linePlaces();
    method = request.method();
    methodFrom = request.methodFrom() - from;
    methodTo = request.methodTo() - from;
    targetTo = request.targetTo() - from;
    pathFrom = request.pathFrom() - from;
    pathTo = request.pathTo() - from;
    hasQuery = request.hasQuery();
    minorVersion = request.minorVersion();
    keepAlive = request.keepAlive();
  }

  /// Sets the body. Called once before a handler receives the message.
  HttpMessage withBody(byte[] bytes) {
    body = bytes;
    return this;
  }

  /// Sets the stream of a body that arrives while the request is being handled. Called before a
  /// handler receives the message.
  HttpMessage withStream(StreamedBody body) {
    stream = body;
    return this;
  }

  /// Returns true if the body arrives while the request is being handled.
  public boolean isStreamed() {
    return stream != null;
  }

  @Nullable StreamedBody streamed() {
    return stream;
  }

  /// Returns the head as it was received. The array is not a copy and must not be modified.
  byte[] head() {
    return head;
  }

  public HttpMethod method() {
    return method;
  }

  /// Returns the method name as it was sent, which also supports methods that [HttpMethod] does not
  /// define.
  public String methodName() {
    return text(methodFrom, methodTo);
  }

  /// Returns the path, percent-decoded and without dot segments, or null if it cannot be decoded.
  public @Nullable String path() {
    return RequestPath.canonical(Arrays.copyOfRange(head, pathFrom, pathTo));
  }

  /// Returns the path as it was sent.
  public String rawPath() {
    return text(pathFrom, pathTo);
  }

  /// Returns the query as it was sent, without the leading `?`, or null if there is none.
  public @Nullable String query() {
    return hasQuery ? text(pathTo + 1, targetTo) : null;
  }

  /// Returns the minor version, which is 0 for HTTP/1.0 and 1 for HTTP/1.1.
  public int minorVersion() {
    return minorVersion;
  }

  boolean keepAlive() {
    return keepAlive;
  }

  /// Returns the value of the first header line with the given case-insensitive name, or null if
  /// there is none.
  public @Nullable String header(String name) {
    List<String> values = headers(name);
    return values.isEmpty() ? null : values.getFirst();
  }

  /// Returns the values of all header lines with the given case-insensitive name in their original
  /// order.
  public List<String> headers(String name) {
    List<String> values = new ArrayList<>();
    for (int at = 0; at < lines.length; at += HttpRequest.STRIDE) {
      if (lines[at + 1] - lines[at] == name.length()
          && text(lines[at], lines[at + 1]).equalsIgnoreCase(name)) {
        values.add(text(lines[at + 2], lines[at + 3]));
      }
    }
    return values;
  }

  /// Returns the names of all header lines in lower case and in their original order.
  public List<String> headerNames() {
    List<String> names = new ArrayList<>();
    for (int at = 0; at < lines.length; at += HttpRequest.STRIDE) {
      names.add(text(lines[at], lines[at + 1]).toLowerCase(Locale.ROOT));
    }
    return names;
  }

  /// Returns the body as a stream that starts at its beginning. If the body arrives while the
  /// request is being handled ([HttpDeferred#streamsBodies]), each call returns the same stream,
  /// whose length is not limited. Reading from it blocks until the client sends bytes. It throws
  /// [BrokenBodyException] if the client does not send a complete body, and [ClientGoneException]
  /// if the client disconnects. The stream may be used until the request is answered.
  public InputStream bodyStream() {
    StreamedBody streamed = stream;
    return streamed == null ? new ByteArrayInputStream(body) : streamed;
  }

  /// Returns the body, or an empty array if there is none or it is streamed. The array is not a
  /// copy, but it is only shared with the handler.
  public byte[] body() {
    return body;
  }

  private String text(int from, int to) {
    return new String(head, from, to - from, StandardCharsets.ISO_8859_1);
  }

  /// Returns the request line without its version for use in logs. All characters except printable
  /// ASCII are escaped as `\xHH`.
  @Override
  public String toString() {
    return Log.shown(head, methodFrom, targetTo);
  }
}
