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

/// A request that was copied off the loop, with its body, for a slow handler. Immutable; any thread
/// may read it, for as long as it likes.
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

  /// Copies a head from the loop.
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

  /// Adds the body, once, before a handler has the message.
  HttpMessage withBody(byte[] bytes) {
    body = bytes;
    return this;
  }

  /// Has the body come while the request is handled, before a handler has the message.
  HttpMessage withStream(StreamedBody body) {
    stream = body;
    return this;
  }

  /// Returns true if the body comes while the request is handled.
  public boolean isStreamed() {
    return stream != null;
  }

  @Nullable StreamedBody streamed() {
    return stream;
  }

  /// The head as it was received. Not a copy, and not to be changed.
  byte[] head() {
    return head;
  }

  public HttpMethod method() {
    return method;
  }

  /// The method as it was sent, for those that [HttpMethod] does not name.
  public String methodName() {
    return text(methodFrom, methodTo);
  }

  /// The path, percent-decoded and without dot segments; null when it cannot be decoded.
  public @Nullable String path() {
    return RequestPath.canonical(Arrays.copyOfRange(head, pathFrom, pathTo));
  }

  /// The path as it was sent.
  public String rawPath() {
    return text(pathFrom, pathTo);
  }

  /// The query as it was sent, without its `?`; null when there is none.
  public @Nullable String query() {
    return hasQuery ? text(pathTo + 1, targetTo) : null;
  }

  /// 0 or 1, of HTTP/1.0 or HTTP/1.1.
  public int minorVersion() {
    return minorVersion;
  }

  boolean keepAlive() {
    return keepAlive;
  }

  /// The value of the first header line of this name, whatever its case; null when there is none.
  public @Nullable String header(String name) {
    List<String> values = headers(name);
    return values.isEmpty() ? null : values.getFirst();
  }

  /// The values of all header lines of this name, whatever its case, in their order.
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

  /// Names of all header lines in lower case, in their order.
  public List<String> headerNames() {
    List<String> names = new ArrayList<>();
    for (int at = 0; at < lines.length; at += HttpRequest.STRIDE) {
      names.add(text(lines[at], lines[at + 1]).toLowerCase(Locale.ROOT));
    }
    return names;
  }

  /// The body as a stream, from its beginning: what has come, or what comes while it is read. Where
  /// it comes meanwhile ([HttpDeferred#streamsBodies]), each call returns the same stream, which
  /// waits for the client, throws [BrokenBodyException] if that sends no whole body, and
  /// [ClientGoneException] if it goes; of any length, and of use until the request is answered.
  public InputStream bodyStream() {
    StreamedBody streamed = stream;
    return streamed == null ? new ByteArrayInputStream(body) : streamed;
  }

  /// The body; empty when there is none, or when it is streamed. Not a copy: only the handler has
  /// it.
  public byte[] body() {
    return body;
  }

  private String text(int from, int to) {
    return new String(head, from, to - from, StandardCharsets.ISO_8859_1);
  }

  /// The request line without its version, for logs: all but printable ASCII as `\xHH`.
  @Override
  public String toString() {
    return Log.shown(head, methodFrom, targetTo);
  }
}
