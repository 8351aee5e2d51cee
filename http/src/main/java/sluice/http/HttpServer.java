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

  /// Starts serving; returns when every loop listens.
  ///
  /// @param complaints told, in one line each, what does not work as it should
  /// @throws IOException when the site cannot be opened, an address cannot be bound, or the backend
  ///   asked for is not to be had
  /// @throws IllegalArgumentException when the sample of a route does not reach its interruptlet,
  ///   or makes it fail
  public static HttpServer start(HttpConfig config, Consumer<String> complaints)
      throws IOException {
    return start(config, complaints, () -> {});
  }

  /// As [#start(HttpConfig, Consumer)], with something that has to be ready before a client can
  /// come.
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

  /// Reads what a start would read, and starts nothing. Blocks on the files.
  ///
  /// @throws IOException when an error page cannot be read, or a directory is not there
  public static void check(HttpConfig config) throws IOException {
    HttpPages _ = new HttpPages(config);
    for (Site site : HttpParts.sites(config)) {
      if (!Files.isDirectory(site.root())) {
        throw new NotDirectoryException(site.root() + ": is no directory. Fix: name one");
      }
    }
  }

  /// The loops, their engine and where they listen.
  public Server server() {
    return server;
  }

  /// `https` or `http`, whichever is spoken at one of the addresses of [#server].
  ///
  /// @param index of the address, from 0
  public String scheme(int index) {
    ServerConfig config = parts.config.server();
    int passed = index - config.addresses().size();
    TlsContext tls = passed < 0 ? config.tls() : config.adopted().get(passed).tls();
    return tls == null ? "http" : "https";
  }

  /// Answers requests below a path by other handlers from now on: those of a new route, or of one
  /// in place of another with the same prefix. A client that sends a request after this has
  /// returned is answered by them; a request that was being received or answered is finished by
  /// those before.
  ///
  /// @param route its interruptlets are made by the loops' threads, before their next requests; one
  ///   that cannot be made fails the requests of the route. With a sample, this blocks until it is
  ///   warm
  /// @return watches its interruptlets, as in [#guards]
  /// @throws IllegalArgumentException when the route's sample does not reach its interruptlet, or
  ///   makes it fail; what was served stays
  public HandlerGuard admit(Route route) {
    return parts.admit(route);
  }

  /// Leaves requests below a path to the site, or to a route with a shorter prefix, from now on. As
  /// with [#admit], what has begun is finished.
  ///
  /// @return whether there was a route with this prefix
  public boolean evict(String prefix) {
    return parts.routes.evict(prefix);
  }

  /// Watch the interruptlets, one for each route and in the order of their admission, first those
  /// of the configuration: whether it was disabled, and the way to let it run again.
  public List<HandlerGuard> guards() {
    return parts.routes.current().stream().map(Routes.Admitted::guard).toList();
  }

  /// Where `/metrics` and `/healthz` are answered; empty when it was not asked for.
  public List<SocketAddress> monitoringAddresses() {
    return monitoring == null ? List.of() : monitoring.addresses();
  }

  /// Where plain HTTP is sent to HTTPS; empty when it was not asked for.
  public List<SocketAddress> redirectAddresses() {
    return redirecting == null ? List.of() : redirecting.addresses();
  }

  /// Serves other sites: those of `next`, with their rules, hosts and error pages, instead of what
  /// is served now. All of them or none. A client that sends a request after this has returned is
  /// answered by them; what has begun is finished as it was. Of `next`, addresses, loops, limits,
  /// log and routes are ignored. Blocks on the files.
  ///
  /// @throws IOException when a directory or an error page cannot be opened; what was served stays
  public void replaceSites(HttpConfig next) throws IOException {
    parts.replaceSites(next);
  }

  /// Shows what the server counts in a counters file, and in `/metrics`, until it is closed.
  ///
  /// @param into more numbers may be added to it later
  public void publishTo(CounterPublisher into) {
    server.publishTo(into);
    server.watchdog().handlers().publishTo(into, guards());
    parts.publishTo(into);
    parts.observatory.show(into);
  }

  /// Returns what is wrong with the server, a line each, such as `draining` or `stuck: http-0`;
  /// empty while all is well. Waits up to two seconds for loops that do not turn.
  public List<String> troubles() throws InterruptedException {
    return parts.observatory.troubles();
  }

  /// Has `/healthz` tell from now on how more than this server is: 200 while nothing is wrong, else
  /// 503 with the troubles. Without it, those of [#troubles].
  public void answerHealthBy(Health health) {
    parts.observatory.answerHealthBy(health);
  }

  /// Shows further samples in `/metrics`.
  ///
  /// @param source called for each scrape, by a thread of the slow path, which may wait
  public void tellMetricsOf(Supplier<List<Metric>> source) {
    parts.observatory.tell(source);
  }

  /// Closes and opens the access log again, after it was renamed; reads the error pages again;
  /// forgets all replies that are kept ready, so that each file is read anew, whatever inotify saw
  /// of it; and reads certificate and key again, for new connections. Blocks on the files.
  ///
  /// @throws IOException when an error page, certificate or key does not do: all error pages, or
  ///   certificate and key, stay as they were; everything else is done
  public void reload() throws IOException {
    parts.reload();
  }

  /// Stops accepting, answers what was received, and ends. Blocks up to the timeout. Monitoring is
  /// answered until the end, and told that the server drains.
  ///
  /// @return whether everything finished in time
  public boolean drain(Duration timeout) {
    parts.observatory.drain();
    boolean all = server.drain(timeout);
    close();
    return all;
  }

  /// Ends at once; connections are cut off. Idempotent.
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
