package sluice.http;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import sluice.http.handlers.Route;
import sluice.http.handlers.Routes;
import sluice.http.metrics.Metric;
import sluice.http.site.Site;
import sluice.loop.HandlerGuard;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.loop.tls.TlsContext;

/// A static HTTP/1.1 server. Any thread may call.
///
/// Lifecycle: started and listening → drained or closed. A server cannot be restarted.
public final class HttpServer implements AutoCloseable {
  private final Server server;
  private final HttpParts parts;
  private final @Nullable Server monitoring;
  private final @Nullable Server redirecting;

  private HttpServer(
      Server server, HttpParts parts, @Nullable Server monitoring, @Nullable Server redirecting) {
    this.server = server;
    this.parts = parts;
    this.monitoring = monitoring;
    this.redirecting = redirecting;
  }

  /// Starts a server and returns after every loop has started listening.
  ///
  /// @param complaints receives a line for each problem that occurs
  /// @throws IOException if the site cannot be opened, an address cannot be bound, or the requested
  ///   backend is not available
  /// @throws IllegalArgumentException if the sample of a route does not reach its interruptlet, or
  ///   makes it fail
  public static HttpServer start(HttpConfig config, Consumer<String> complaints)
      throws IOException {
    return start(config, complaints, () -> {});
  }

  /// Starts a server as [#start(HttpConfig, Consumer)] does, and invokes `ready` before clients can
  /// connect.
  ///
  /// @param ready invoked when the server is able to listen
  /// @throws IOException if `ready` throws it, in which case all resources are released
  public static HttpServer start(
      HttpConfig config, Consumer<String> complaints, Server.BeforeClients ready)
      throws IOException {
    HttpParts parts = new HttpParts(config, complaints);
    Server server = null;
    Server redirecting = null;
    try {
      server = Server.start(config.server(), parts::protocol, ready);
      redirecting = parts.redirecting(server);
      Server monitoring = parts.observatory.start(config, server, parts.errors);
      Server.shareDescriptors(
          Stream.of(server, redirecting, monitoring).filter(Objects::nonNull).toList());
      return new HttpServer(server, parts, monitoring, redirecting);
    } catch (IOException | RuntimeException e) {
      if (redirecting != null) {
        redirecting.close();
      }
      if (server != null) {
        server.close();
      }
      parts.close();
      throw e;
    }
  }

  /// Reads the files that starting a server would read, without starting it. This method blocks on
  /// file I/O.
  ///
  /// @throws IOException if an error page cannot be read or a directory does not exist
  public static void check(HttpConfig config) throws IOException {
    HttpPages _ = new HttpPages(config);
    for (Site site : HttpParts.sites(config)) {
      if (!Files.isDirectory(site.root())) {
        throw new NotDirectoryException(site.root() + ": is no directory. Fix: name one");
      }
    }
  }

  /// Returns the underlying server with its loops, engine and addresses.
  public Server server() {
    return server;
  }

  /// Returns the scheme of one of the addresses of [#server], which is `https` or `http`.
  ///
  /// @param index the index of the address, starting from 0
  public String scheme(int index) {
    ServerConfig config = parts.config.server();
    int passed = index - config.addresses().size();
    TlsContext tls = passed < 0 ? config.tls() : config.adopted().get(passed).tls();
    return tls == null ? "http" : "https";
  }

  /// Adds a route, or replaces the route with the same prefix. A request that a client sends after
  /// this method has returned is answered by the new route. Requests that are already being
  /// received or answered are completed by the old handlers.
  ///
  /// @param route the route. The threads of the loops create its interruptlets before their next
  ///   requests. If that fails, requests for the route fail. If the route has a sample, this method
  ///   blocks until the route has been warmed up
  /// @return the guard of its interruptlets, as in [#guards]
  /// @throws IllegalArgumentException if the route's sample does not reach its interruptlet, or
  ///   makes it fail; the routes are then unchanged
  public HandlerGuard admit(Route route) {
    return parts.admit(route);
  }

  /// Removes a route. From now on, requests below its prefix are served by the site or by a route
  /// with a shorter prefix. As with [#admit], requests in progress are completed.
  ///
  /// @return true if there was a route with this prefix
  public boolean evict(String prefix) {
    return parts.routes.evict(prefix);
  }

  /// Returns the guards of the interruptlets, one for each route in the order of their admission,
  /// beginning with the routes of the configuration. A guard reports if its interruptlet was
  /// disabled, and can enable it again.
  public List<HandlerGuard> guards() {
    return parts.routes.current().stream().map(Routes.Admitted::guard).toList();
  }

  /// Returns the addresses that serve `/metrics` and `/healthz`, or an empty list if monitoring is
  /// disabled.
  public List<SocketAddress> monitoringAddresses() {
    return monitoring == null ? List.of() : monitoring.addresses();
  }

  /// Returns the addresses at which plain HTTP is redirected to HTTPS, or an empty list if there is
  /// no redirect.
  public List<SocketAddress> redirectAddresses() {
    return redirecting == null ? List.of() : redirecting.addresses();
  }

  /// Replaces the sites by those of `next`, including their rules, hosts and error pages. If any of
  /// them fails, none is replaced. A request that a client sends after this method has returned is
  /// answered by the new sites, and requests in progress are completed by the old ones. The
  /// addresses, loops, limits, log and routes of `next` are ignored. This method blocks on file
  /// I/O.
  ///
  /// @throws IOException if a directory or an error page cannot be opened, in which case the old
  ///   sites remain in use
  public void replaceSites(HttpConfig next) throws IOException {
    parts.replaceSites(next);
  }

  /// Publishes the server's counters in a counters file and in `/metrics` until the server is
  /// closed.
  ///
  /// @param into the publisher, to which more counters may be added later
  public void publishTo(CounterPublisher into) {
    server.publishTo(into);
    server.watchdog().handlers().publishTo(into, guards());
    parts.publishTo(into);
    parts.observatory.show(into);
  }

  /// Returns the server's problems, one line each, such as `draining` or `stuck: http-0`, or an
  /// empty list if the server is healthy. Waits up to two seconds for loops that do not respond.
  public List<String> troubles() throws InterruptedException {
    return parts.observatory.troubles();
  }

  /// Sets the source of the reply to `/healthz`, so that it can report more than the health of this
  /// server. The status is 200 if `health` reports no problems, and otherwise 503 with the
  /// problems. By default [#troubles] is used.
  public void answerHealthBy(Health health) {
    parts.observatory.answerHealthBy(health);
  }

  /// Adds samples to `/metrics`.
  ///
  /// @param source invoked for each scrape by a thread of the slow path, which may block
  public void tellMetricsOf(Supplier<List<Metric>> source) {
    parts.observatory.tell(source);
  }

  /// Reopens the access log after it was renamed, reads the error pages again, and reads the
  /// certificate and key again for new connections. It also discards all cached replies, so that
  /// each file is read again regardless of the changes that inotify has reported. This method
  /// blocks on file I/O.
  ///
  /// @throws IOException if an error page, certificate or key is not usable. All error pages, or
  ///   the certificate and key, then remain unchanged, and everything else is still reloaded
  public void reload() throws IOException {
    parts.reload();
  }

  /// Stops accepting connections, answers the requests that have been received, and closes the
  /// server. This method blocks for at most the given timeout. Monitoring remains available until
  /// the end and reports that the server is draining.
  ///
  /// @return true if everything completed within the timeout
  public boolean drain(Duration timeout) {
    parts.observatory.drain();
    boolean all = server.drain(timeout);
    close();
    return all;
  }

  /// Closes the server immediately and aborts all connections. Idempotent.
  @Override
  public void close() {
    server.close();
    if (redirecting != null) {
      redirecting.close();
    }
    if (monitoring != null) {
      monitoring.close();
    }
    parts.close();
  }
}
