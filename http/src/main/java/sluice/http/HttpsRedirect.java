package sluice.http;

import java.net.SocketAddress;
import java.util.List;
import sluice.http.handlers.HttpInterruptlet;
import sluice.http.handlers.HttpReply;
import sluice.http.handlers.Route;
import sluice.http.parse.HttpRequest;

/// The addresses at which plain HTTP requests are only answered by a redirect to HTTPS. Immutable,
/// so any thread may read it.
///
/// @param addresses the addresses to listen on; empty to disable the redirect
/// @param port the HTTPS port, as seen by clients
public record HttpsRedirect(List<SocketAddress> addresses, int port) {
  public static final HttpsRedirect NONE = new HttpsRedirect(List.of(), 443);

  private static final int DEFAULT_PORT = 443;

  public HttpsRedirect {
    addresses = List.copyOf(addresses);
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("no port of HTTPS: " + port);
    }
  }

  boolean wanted() {
    return !addresses.isEmpty();
  }

  Route route() {
    return Route.at("/").withBodyBytes(0).withInterruptlet(() -> interruptlet());
  }

  private HttpInterruptlet interruptlet() {
    return this::answer;
  }

  /// Answers with a redirect. The parser guarantees that the host and the target consist of
  /// printable ASCII characters and that there is only one host.
  private boolean answer(HttpRequest request, HttpReply reply) {
    String host = text(request, request.hostFrom(), request.hostTo());
    int end = host.startsWith("[") ? host.indexOf(']') + 1 : host.indexOf(':');
    String name = end > 0 ? host.substring(0, end) : host;
    if (name.isEmpty()) {
      reply.status(400).field("Content-Type", "text/plain").close().text("which host?\n");
      return true;
    }
    String path = text(request, request.pathFrom(), request.targetTo());
    String target = path.startsWith("/") ? path : "/" + path;
    reply
        .status(308)
        .field("Location", "https://" + name + (port == DEFAULT_PORT ? "" : ":" + port) + target)
        .text("");
    return true;
  }

  private static String text(HttpRequest request, int from, int to) {
    return request.view().latin1(from, to);
  }
}
