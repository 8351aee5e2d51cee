package sluice.http.handlers;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.RequestPath;

/// The handlers that answer the requests below a path instead of the site. Immutable, so any thread
/// may read it.
///
/// Paths are compared after percent-decoding and without dot segments, so that an alternative
/// spelling of a path cannot bypass a handler. If several routes match, the route with the longest
/// prefix is selected. TRACE and CONNECT requests are never passed to a handler.
///
/// @param prefix `/` or a canonical path: `/api` matches itself and everything below `/api/`; with
///   a trailing slash only the paths below
/// @param interruptlets creates the interruptlet of each loop, on that loop's thread, or null if
///   there is none
/// @param deferred answers the requests that the interruptlet does not answer, or null
/// @param bodyBytes the maximum size of a request body that is collected for `deferred`; a longer
///   one is answered 413. If it is 0 and there is no `deferred`, the interruptlet receives the head
///   of every request, and bodies of any length are discarded
/// @param limit the maximum time that the interruptlet may run, at least 1 ms
/// @param sample warms up the interruptlet before the route is admitted, see [#withSample]; empty
///   to disable warm-up
public record Route(
    String prefix,
    @Nullable Supplier<? extends HttpInterruptlet> interruptlets,
    @Nullable HttpDeferred deferred,
    int bodyBytes,
    Duration limit,
    String sample) {

  public Route {
    if (!prefix.startsWith("/")) {
      throw new IllegalArgumentException("a route's prefix starts with a slash: " + prefix);
    }
    if (!prefix.equals(RequestPath.canonical(prefix.getBytes(StandardCharsets.UTF_8)))) {
      throw new IllegalArgumentException(
          "a route's prefix is a path without escapes, dot segments and empty segments: " + prefix);
    }
    if (bodyBytes < 0) {
      throw new IllegalArgumentException("bodyBytes must not be negative: " + bodyBytes);
    }
    if (limit.toMillis() < 1) {
      throw new IllegalArgumentException("limit must be at least 1 ms: " + limit);
    }
    if (!sample.isEmpty() && interruptlets == null) {
      throw new IllegalArgumentException(
          "a sample is for an interruptlet, and there is none at " + prefix);
    }
  }

  /// Returns a route without handlers that allows bodies of up to 1 MiB and interruptlets that run
  /// for up to 50 ms.
  public static Route at(String prefix) {
    return new Route(prefix, null, null, 1 << 20, Duration.ofMillis(50), "");
  }

  /// Returns a copy of this route with an interruptlet.
  ///
  /// @param perLoop invoked once for each loop
  public Route withInterruptlet(Supplier<? extends HttpInterruptlet> perLoop) {
    return new Route(prefix, perLoop, deferred, bodyBytes, limit, sample);
  }

  public Route withSlowHandler(HttpSlowHandler handler) {
    return new Route(prefix, interruptlets, handler, bodyBytes, limit, sample);
  }

  public Route withAsyncHandler(HttpAsyncHandler handler) {
    return new Route(prefix, interruptlets, handler, bodyBytes, limit, sample);
  }

  public Route withBodyBytes(int bytes) {
    return new Route(prefix, interruptlets, deferred, bytes, limit, sample);
  }

  public Route withLimit(Duration longest) {
    return new Route(prefix, interruptlets, deferred, bodyBytes, longest, sample);
  }

  /// Returns a copy of this route with a sample. The thread that starts the server or admits the
  /// route first runs the interruptlet on the sample until the JVM has compiled it, for at most two
  /// seconds, so that no client has to wait for the compiler. An additional instance is created for
  /// this purpose, which must tolerate many runs of the sample.
  ///
  /// @param request a path that is requested by GET, or a complete request in ISO-8859-1 including
  ///   its empty line and its body
  public Route withSample(String request) {
    return new Route(prefix, interruptlets, deferred, bodyBytes, limit, request);
  }

  /// Returns the bytes of the sample's request.
  public byte[] sampleRequest() {
    String request =
        sample.startsWith("/") ? "GET " + sample + " HTTP/1.1\r\nHost: sample\r\n\r\n" : sample;
    return request.getBytes(StandardCharsets.ISO_8859_1);
  }
}
