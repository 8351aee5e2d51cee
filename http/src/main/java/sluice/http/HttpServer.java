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
/// Lifecycle: started, listening → drained or closed, once.
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

  /// Starts a server; returns when every loop listens.
  ///
  /// @param complaints receives one line for each thing that does not work as it should
  /// @throws IOException if the site cannot be opened, an address cannot be bound, or the requested
  ///   backend is not available
  /// @throws IllegalArgumentException if the sample of a route does not reach its interruptlet, or
  ///   makes it fail
  public static HttpServer start(HttpConfig config, Consumer<String> complaints)
      throws IOException {
    return start(config, complaints, () -> {});
  }

  /// Starts a server as [#start(HttpConfig, Consumer)] does, and runs `ready` before a client can
  /// connect.
  ///
  /// @param ready called when the server could listen
  /// @throws IOException as `ready` throws it; nothing stays open
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

  /// Reads the files that a start would read, without starting. Blocks on the files.
  ///
  /// @throws IOException if an error page cannot be read, or a directory does not exist
  public static void check(HttpConfig config) throws IOException {
    HttpPages _ = new HttpPages(config);
    for (Site site : HttpParts.sites(config)) {
      if (!Files.isDirectory(site.root())) {
        throw new NotDirectoryException(site.root() + ": is no directory. Fix: name one");
      }
    }
  }

  /// Returns the server: its loops, engine and addresses.
  public Server server() {
    return server;
  }

  /// Returns `https` or `http`, the scheme of one of the addresses of [#server].
  ///
  /// @param index the index of the address, from 0
  public String scheme(int index) {
    ServerConfig config = parts.config.server();
    int passed = index - config.addresses().size();
    TlsContext tls = passed < 0 ? config.tls() : config.adopted().get(passed).tls();
    return tls == null ? "http" : "https";
  }

  /// Adds a route, or replaces the route with the same prefix. A request that a client sends after
  /// this has returned is answered by the new route. Requests that are being received or answered
  /// are finished by the old handlers.
  ///
  /// @param route the loops' threads create its interruptlets before their next requests; if that
  ///   fails, the requests of the route fail. With a sample, this call blocks until the route is
  ///   warm
  /// @return the guard of its interruptlets, as in [#guards]
  /// @throws IllegalArgumentException if the route's sample does not reach its interruptlet, or
  ///   makes it fail; the routes stay as they were
  public HandlerGuard admit(Route route) {
    return parts.admit(route);
  }

  /// Removes a route: requests below its prefix go to the site, or to a route with a shorter
  /// prefix, from now on. As with [#admit], requests that have begun are finished.
  ///
  /// @return true if there was a route with this prefix
  public boolean evict(String prefix) {
    return parts.routes.evict(prefix);
  }

  /// Returns the guards of the interruptlets, one for each route in the order of their admission,
  /// beginning with the routes of the configuration. A guard tells if its interruptlet was
  /// disabled, and can enable it again.
  public List<HandlerGuard> guards() {
    return parts.routes.current().stream().map(Routes.Admitted::guard).toList();
  }

  /// Returns the addresses where `/metrics` and `/healthz` are answered; empty without monitoring.
  public List<SocketAddress> monitoringAddresses() {
    return monitoring == null ? List.of() : monitoring.addresses();
  }

  /// Returns the addresses where plain HTTP is redirected to HTTPS; empty without a redirect.
  public List<SocketAddress> redirectAddresses() {
    return redirecting == null ? List.of() : redirecting.addresses();
  }

  /// Replaces the sites by those of `next`, with their rules, hosts and error pages: all of them or
  /// none. A request that a client sends after this has returned gets an answer of the new sites;
  /// requests that have begun are finished with the old ones. Addresses, loops, limits, log and
  /// routes of `next` are ignored. Blocks on the files.
  ///
  /// @throws IOException if a directory or an error page cannot be opened; the old sites stay
  public void replaceSites(HttpConfig next) throws IOException {
    parts.replaceSites(next);
  }

  /// Publishes the server's counters in a counters file, and in `/metrics`, until it is closed.
  ///
  /// @param into the publisher; more counters may be added to it later
  public void publishTo(CounterPublisher into) {
    server.publishTo(into);
    server.watchdog().handlers().publishTo(into, guards());
    parts.publishTo(into);
    parts.observatory.show(into);
  }

  /// Returns the server's problems, one line each, such as `draining` or `stuck: http-0`; empty
  /// while all is well. Waits up to two seconds for loops that do not turn.
  public List<String> troubles() throws InterruptedException {
    return parts.observatory.troubles();
  }

  /// Lets `/healthz` report the health of more than this server: 200 while `health` reports no
  /// problem, otherwise 503 with the problems. By default it reports [#troubles].
  public void answerHealthBy(Health health) {
    parts.observatory.answerHealthBy(health);
  }

  /// Adds samples to `/metrics`.
  ///
  /// @param source called for each scrape, by a thread of the slow path, which may wait
  public void tellMetricsOf(Supplier<List<Metric>> source) {
    parts.observatory.tell(source);
  }

  /// Reopens the access log after it was renamed, reads the error pages again, drops all cached
  /// replies so that each file is read again, whatever inotify has reported of it, and reads
  /// certificate and key again, for new connections. Blocks on the files.
  ///
  /// @throws IOException if an error page, certificate or key is not usable: all error pages, or
  ///   certificate and key, stay as they were; everything else is done
  public void reload() throws IOException {
    parts.reload();
  }

  /// Stops accepting, answers the requests received, and ends. Blocks up to the timeout. Monitoring
  /// is answered until the end and reports that the server drains.
  ///
  /// @return true if everything finished in time
  public boolean drain(Duration timeout) {
    parts.observatory.drain();
    boolean all = server.drain(timeout);
    close();
    return all;
  }

  /// Ends at once and cuts off connections. Idempotent.
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
