package sluice.http.reply;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.Field;
import sluice.http.parse.HttpMethod;
import sluice.http.parse.HttpRequest;
import sluice.http.parse.MultipartRanges;
import sluice.http.parse.Preconditions;
import sluice.http.parse.Ranges;
import sluice.http.text.Digits;
import sluice.http.text.Latin1;
import sluice.loop.Connection;
import sluice.loop.Output;

/// Writes replies into a connection's output. Owned by one loop.
public final class HttpReplies {
  /// The greatest number of replies that [#repeat] writes at once.
  public static final int MOST_REPEATS = Burst.MOST;

  public static final byte[] NONE = {};
  public static final byte[] CLOSE = Latin1.bytes("Connection: close\r\n");
  static final byte[] KEEP_ALIVE = Latin1.bytes("Connection: keep-alive\r\n");
  public static final byte[] ALLOW = Latin1.bytes("Allow: GET, HEAD, OPTIONS\r\n");
  public static final byte[] RETRY = Latin1.bytes("Retry-After: 1\r\n");

  private static final byte[] DATE = Latin1.bytes("Date: ");
  private static final byte[] CONTENT_TYPE = Latin1.bytes("Content-Type: ");
  private static final byte[] CONTENT_RANGE = Latin1.bytes("Content-Range: ");
  public static final byte[] CONTENT_LENGTH_FIELD = Latin1.bytes("Content-Length: ");
  public static final byte[] CHUNKED_FIELD = Latin1.bytes("Transfer-Encoding: chunked\r\n");
  public static final byte[] CRLF = Latin1.bytes("\r\n");
  public static final byte[] HTML =
      Latin1.bytes("Content-Type: " + ErrorPages.CONTENT_TYPE + "\r\n");

  private final DateLine date = new DateLine();
  private final ErrorPages errors;

  /// The error pages of the site that answers.
  private ErrorPages pages;

  private final HttpCounts counts = new HttpCounts();
  private final Burst burst;
  private final Ranges ranges = new Ranges();
  private final byte[] digits = new byte[20];

  /// The status and body bytes of the last reply, for the access log.
  private int lastStatus;

  private long lastBodyBytes;

  /// The last reply, if it was sent whole and unchanged, so that it may be repeated.
  private @Nullable ReadyReply repeatable;

  /// @param loop the name of the loop
  public HttpReplies(String loop, ErrorPages errors) {
    this.errors = errors;
    this.pages = errors;
    this.burst = new Burst(loop, date);
    updateDate();
  }

  /// Returns the Connection field, which HTTP/1.1 omits if the connection stays open.
  public static byte[] connectionField(boolean keep, int minorVersion) {
    if (!keep) {
      return CLOSE;
    }
    return minorVersion == 0 ? KEEP_ALIVE : NONE;
  }

  public HttpCounts counts() {
    return counts;
  }

  /// Updates Date from the clock.
  public void updateDate() {
    date.update(System.currentTimeMillis());
  }

  public int lastStatus() {
    return lastStatus;
  }

  public long lastBodyBytes() {
    return lastBodyBytes;
  }

  /// Sets the site whose error pages later replies use.
  public void usePages(ErrorPages site) {
    pages = site;
  }

  // ---- resources ----------------------------------------------------------------------------

  /// Answers a GET or HEAD with the resource of its path.
  ///
  /// @param connectionField `NONE`, `CLOSE` or `KEEP_ALIVE`
  public void resource(
      Connection connection, HttpRequest request, Resource resource, byte[] connectionField) {
    Output out = connection.output();
    ReadyReply reply = resource.reply;
    if (reply == null) {
      bare(out, request, resource, connectionField);
      return;
    }
    if (!request.hasAny(Field.CONDITIONS_AND_RANGE)) {
      whole(out, request, reply, connectionField);
      return;
    }
    switch (Preconditions.evaluate(request, reply.etag, reply.modifiedSeconds, date.second())) {
      case NOT_MODIFIED -> {
        noted(304, 0);
        reply.sendNotModified(out, date, connectionField);
      }
      case PRECONDITION_FAILED -> error(out, 412, request, resource.fieldsInstead, connectionField);
      case IGNORE_RANGE -> whole(out, request, reply, connectionField);
      case PROCEED -> ranged(out, request, resource, reply, connectionField);
    }
  }

  private void whole(Output out, HttpRequest request, ReadyReply reply, byte[] connectionField) {
    boolean head = request.method() == HttpMethod.HEAD;
    noted(200, head ? 0 : reply.bodyBytes());
    if (head) {
      reply.sendHead(out, date, connectionField);
    } else if (connectionField.length == 0) {
      reply.sendWhole(out, date);
      repeatable = reply;
    } else {
      reply.sendHead(out, date, connectionField);
      reply.sendBody(out, 0, reply.bodyBytes());
    }
  }

  /// Forgets the last reply before another request is handled, so that it is not repeated for it.
  public void forgetLast() {
    repeatable = null;
  }

  /// Returns true if the last reply may be written again by [#repeat].
  public boolean isRepeatable() {
    return repeatable != null;
  }

  /// Writes the last reply again.
  ///
  /// @param count at most [#MOST_REPEATS]
  /// @return how many times it was written, perhaps fewer than `count`
  public int repeat(Output out, int count) {
    ReadyReply reply = repeatable;
    int sent = reply == null ? 0 : burst.send(out, reply, count);
    counts.replies[2] += sent;
    counts.bodyBytes += sent * lastBodyBytes;
    return sent;
  }

  private void ranged(
      Output out,
      HttpRequest request,
      Resource resource,
      ReadyReply reply,
      byte[] connectionField) {
    long length = reply.bodyBytes();
    switch (ranges.parse(request, length)) {
      case WHOLE -> whole(out, request, reply, connectionField);
      case UNSATISFIABLE ->
          error(
              out,
              416,
              request,
              joined(
                  Latin1.bytes("Content-Range: " + MultipartRanges.unsatisfied(length) + "\r\n"),
                  resource.fieldsInstead),
              connectionField);
      case PARTIAL -> {
        if (ranges.count() == 1) {
          single(out, reply, connectionField);
        } else {
          multipart(out, reply, connectionField);
        }
      }
    }
  }

  private void single(Output out, ReadyReply reply, byte[] connectionField) {
    long start = ranges.start(0);
    long end = ranges.end(0);
    noted(206, end - start);
    start(out, 206, end - start);
    out.put(CONTENT_RANGE);
    out.put(Latin1.bytes(MultipartRanges.contentRange(start, end, reply.bodyBytes())));
    out.put(CRLF);
    reply.sendFields(out);
    out.put(connectionField);
    out.put(CRLF);
    reply.sendBody(out, start, end - start);
  }

  private void multipart(Output out, ReadyReply reply, byte[] connectionField) {
    byte[] random = new byte[16];
    ThreadLocalRandom.current().nextBytes(random);
    MultipartRanges parts = new MultipartRanges(ranges, reply.type, reply.bodyBytes(), random);
    noted(206, parts.bodyBytes());
    start(out, 206, parts.bodyBytes());
    out.put(CONTENT_TYPE);
    out.put(Latin1.bytes(parts.contentType()));
    out.put(CRLF);
    reply.sendFieldsBesideType(out);
    out.put(connectionField);
    out.put(CRLF);
    for (int i = 0; i < ranges.count(); i++) {
      out.put(parts.head(i));
      reply.sendBody(out, ranges.start(i), ranges.end(i) - ranges.start(i));
    }
    out.put(parts.tail());
  }

  private void bare(Output out, HttpRequest request, Resource resource, byte[] connectionField) {
    byte[] html = resource.html;
    if (html == null) {
      byte[] fields = resource.extraFields;
      if (resource.takesQuery && request.hasQuery()) {
        fields = withQuery(fields, request);
      }
      error(out, resource.status, request, fields, connectionField);
      return;
    }
    page(out, resource.status, request, html, resource.extraFields, connectionField);
  }

  /// Returns the header lines with the request's query appended to the new location. The parser
  /// guarantees that the query is one word of printable ASCII.
  ///
  /// @param location header lines, the last of which is Location
  private static byte[] withQuery(byte[] location, HttpRequest request) {
    int line = location.length - CRLF.length;
    int query = request.targetTo() - request.pathTo(); // with its question mark
    byte[] whole = Arrays.copyOf(location, location.length + query);
    request.view().copyTo(request.pathTo(), whole, line, query);
    System.arraycopy(CRLF, 0, whole, line + query, CRLF.length);
    return whole;
  }

  // ---- everything else ----------------------------------------------------------------------

  /// Writes a redirect or refusal with its page.
  ///
  /// @param request null if it could not be parsed
  /// @param extraFields header lines, each with CRLF
  public void error(
      Output out,
      int status,
      @Nullable HttpRequest request,
      byte[] extraFields,
      byte[] connectionField) {
    byte[] page = status < ErrorPages.FIRST ? NONE : pages.body(status);
    if (page.length > 0 && request != null && !pages.isOwn(status) && BrowserPages.wants(request)) {
      page = BrowserPages.body(status);
      startPage(out, status, request, page);
      out.put(BrowserPages.VARY);
    } else {
      startPage(out, status, request, page);
    }
    out.put(extraFields);
    endPage(out, request, page, connectionField);
  }

  private void page(
      Output out,
      int status,
      @Nullable HttpRequest request,
      byte[] page,
      byte[] extraFields,
      byte[] connectionField) {
    startPage(out, status, request, page);
    out.put(extraFields);
    endPage(out, request, page, connectionField);
  }

  private void startPage(Output out, int status, @Nullable HttpRequest request, byte[] page) {
    noted(status, isHead(request) ? 0 : page.length);
    start(out, status, page.length);
    if (page.length > 0) {
      out.put(HTML);
    }
  }

  private static void endPage(
      Output out, @Nullable HttpRequest request, byte[] page, byte[] connectionField) {
    out.put(connectionField);
    out.put(CRLF);
    if (!isHead(request)) {
      out.put(page);
    }
  }

  private static boolean isHead(@Nullable HttpRequest request) {
    return request != null && request.method() == HttpMethod.HEAD;
  }

  /// Writes a reply without content, for example to OPTIONS.
  public void noContent(Output out, byte[] extraFields, byte[] connectionField) {
    noted(204, 0);
    startUnmeasured(out, 204);
    out.put(extraFields);
    out.put(connectionField);
    out.put(CRLF);
  }

  /// Writes a status line and Date; the caller adds the other fields.
  public void startUnmeasured(Output out, int status) {
    out.put(StatusLine.bytes(status));
    out.put(DATE);
    date.putTo(out);
    out.put(CRLF);
  }

  /// Writes a whole head.
  ///
  /// @param contentLength of the body; negative for chunks (the status has a body then) or for a
  ///   body that ends with the connection
  public void head(
      Output out, int status, long contentLength, byte[] fields, byte[] connectionField) {
    if (contentLength >= 0 && !ReplyFields.bodiless(status)) {
      start(out, status, contentLength);
    } else {
      startUnmeasured(out, status);
    }
    out.put(fields);
    out.put(connectionField);
    out.put(CRLF);
  }

  /// Returns the page of a status from 400 on.
  public byte[] page(int status) {
    return errors.body(status);
  }

  public static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private void start(Output out, int status, long contentLength) {
    startUnmeasured(out, status);
    int length = Digits.put(contentLength, digits);
    out.put(CONTENT_LENGTH_FIELD);
    out.put(digits, digits.length - length, length);
    out.put(CRLF);
  }

  /// Releases the memory for repeated replies.
  public void close() {
    burst.close();
  }

  public void noted(int status, long bodyBytes) {
    counts.replies[status / 100]++;
    counts.bodyBytes += bodyBytes;
    lastStatus = status;
    lastBodyBytes = bodyBytes;
  }
}
