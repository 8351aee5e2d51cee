package sluice.http.handlers;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.RequestPath;

/// What answers requests below a path, instead of the site. Immutable; any thread may read it.
///
/// Paths are compared as they are after percent-decoding and without dot segments, so a handler
/// cannot be passed by with another spelling. Of several routes the one with the longest prefix
/// answers. TRACE and CONNECT never reach a handler.
///
/// @param prefix `/` or a canonical path: `/api` stands for itself and everything below `/api/`;
///   with a slash at the end, for what is below only
/// @param interruptlets makes the interruptlet of each loop, on that loop's thread; null for none
/// @param deferred answers what the interruptlet leaves; null for none
/// @param bodyBytes longest request body that is collected for what answers later; a longer one is
///   answered 413. With 0 and nothing that does the interruptlet is shown the head of every
///   request, and bodies of any length are dropped
/// @param limit longest run of the interruptlet, at least 1 ms
/// @param sample warms the interruptlet before the route is admitted, as [#withSample]; empty for
///   none
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

  /// A route without handlers, for bodies of up to 1 MiB and interruptlets of up to 50 ms.
  public static Route at(String prefix) {
    return new Route(prefix, null, null, 1 << 20, Duration.ofMillis(50), "");
  }

  /// @param perLoop called once for each loop
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

  /// Runs the interruptlet before the route is admitted, on the thread that starts the server or
  /// admits the route, until the JVM has compiled it, two seconds at most: no client waits for
  /// that. One more instance is made for it, which must bear to see the sample often.
  ///
  /// @param request a path, which is asked for by GET; or a whole request in ISO-8859-1, with its
  ///   empty line and its body
  public Route withSample(String request) {
    return new Route(prefix, interruptlets, deferred, bodyBytes, limit, request);
  }

  /// The request of the sample.
  public byte[] sampleRequest() {
    String request =
        sample.startsWith("/") ? "GET " + sample + " HTTP/1.1\r\nHost: sample\r\n\r\n" : sample;
    return request.getBytes(StandardCharsets.ISO_8859_1);
  }
}
