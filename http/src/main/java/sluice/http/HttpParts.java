package sluice.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import sluice.http.clients.ClientTable;
import sluice.http.handlers.HttpInterruptlet;
import sluice.http.handlers.Route;
import sluice.http.handlers.RouteTable;
import sluice.http.handlers.Routes;
import sluice.http.log.AccessLog;
import sluice.http.metrics.Metric;
import sluice.http.reply.ErrorPages;
import sluice.http.service.SiteService;
import sluice.http.service.SiteSettings;
import sluice.http.site.Site;
import sluice.loop.HandlerGuard;
import sluice.loop.Loop;
import sluice.loop.Protocol;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.server.AdoptedSocket;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.loop.server.WarmUp;
import sluice.loop.tls.TlsCertificate;
import sluice.loop.tls.TlsContext;
import sluice.sys.zstd.Zstd;

/// The objects that the loops of a server share, and a factory for the protocol of each loop. The
/// loops are started one after another. Any thread may call the other methods.
final class HttpParts {
  private static final String EXPIRY = "sluice_certificate_not_after_timestamp_seconds";

  /// The maximum number of names of one certificate that `/metrics` reports.
  private static final int MOST_NAMES = 100;

  final HttpConfig config;

  /// The error pages for requests that are not served by any site.
  final ErrorPages errors;

  final Routes routes;
  final Observatory observatory = new Observatory();
  private volatile HttpPages pages;
  private final @Nullable AccessLog log;
  private final HttpShared shared;
  private final List<HttpProtocol> protocols = new CopyOnWriteArrayList<>();

  /// @throws IOException if an error page or the access log cannot be opened
  HttpParts(HttpConfig config, Consumer<String> complaints) throws IOException {
    this.config = config;
    this.pages = new HttpPages(config);
    this.errors = pages.main();
    config.routes().forEach(this::warm);
    this.routes = new Routes(config.routes());
    observatory.tell(this::certificates);
    if (!Zstd.why().isEmpty()
        && sites(config).stream().anyMatch(site -> site.compression().zstdLevel() > 0)) {
      complaints.accept("files are not compressed by zstd. Why: " + Zstd.why());
    }
    Path file = config.accessLog();
    this.log =
        file == null
            ? null
            : new AccessLog(file, config.logFormat(), ZoneId.systemDefault(), complaints);
    boolean known = config.clientLimits().any() || !config.proxies().isEmpty();
    this.shared =
        new HttpShared(errors, log, known ? new ClientTable(config.clientLimits()) : null);
  }

  /// Returns the protocol for a loop. Called on the loop's thread.
  Protocol protocol(Loop loop) {
    try {
      return serving(loop);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Adds a route after warming it up. The route serves requests from now on.
  ///
  /// @throws IllegalArgumentException if the route's sample does not reach its interruptlet
  HandlerGuard admit(Route route) {
    warm(route);
    return routes.admit(route);
  }

  /// Runs the interruptlet of a route that has a sample on an in-process network.
  private void warm(Route route) {
    Supplier<? extends HttpInterruptlet> perLoop = route.interruptlets();
    if (perLoop == null || route.sample().isEmpty()) {
      return;
    }
    Routes alone = new Routes(List.of(Route.at(route.prefix()).withInterruptlet(perLoop)));
    HandlerGuard guard = alone.current().getFirst().guard();
    try {
      WarmUp.Report report =
          WarmUp.run(loop -> unlogged(loop, alone, null), guard, route.sampleRequest());
      WarmUp.say(route.prefix(), report);
    } catch (IOException e) {
      throw new IllegalArgumentException("route " + route.prefix() + ": " + e.getMessage(), e);
    }
  }

  /// Returns a protocol that only serves routes and does not write an access log.
  ///
  /// @param clients enforces the limits of clients, or null if there are none
  private Protocol unlogged(Loop loop, Routes of, @Nullable ClientTable clients) {
    RouteTable table = new RouteTable(of, config.limits());
    HttpShared unlogged = new HttpShared(errors, null, clients);
    return new HttpProtocol(loop, config, HttpHosts.of(null, errors), table, unlogged);
  }

  /// Returns the site that a loop serves in front of an application. Called on the loop's thread.
  HttpFront front(Loop loop) throws IOException {
    HttpProtocol made = serving(loop);
    return new HttpFront(made, Objects.requireNonNull(made.hosts().main().service()));
  }

  private HttpProtocol serving(Loop loop) throws IOException {
    HttpHosts hosts = new HttpHosts(sites(loop, config, pages));
    loop.onClose(hosts::close);
    RouteTable table = new RouteTable(routes, config.limits());
    HttpProtocol made = new HttpProtocol(loop, config, hosts, table, shared);
    protocols.add(made);
    return made;
  }

  /// Returns the main site, if it is served, and the sites of the virtual hosts.
  static List<Site> sites(HttpConfig config) {
    List<Site> sites = new ArrayList<>();
    if (!config.namedOnly()) {
      sites.add(config.site());
    }
    config.hosts().forEach(host -> sites.add(host.site()));
    return sites;
  }

  /// Opens the sites for one loop. If any of them cannot be opened, none remains open.
  private static HttpHosts.Sites sites(Loop loop, HttpConfig config, HttpPages pages)
      throws IOException {
    List<HttpHosts.Served> opened = new ArrayList<>();
    try {
      List<VirtualHost> hosts = config.hosts();
      for (int i = 0; i < hosts.size(); i++) {
        VirtualHost host = hosts.get(i);
        SiteSettings settings = config.perLoop(host.site(), host.rules());
        SiteService service = SiteService.open(loop, settings);
        opened.add(new HttpHosts.Served(service, pages.of(i), settings.rules()));
      }
      HttpHosts.Served main = null;
      if (!config.namedOnly()) {
        SiteSettings settings = config.perLoop();
        SiteService service = SiteService.open(loop, settings);
        main = new HttpHosts.Served(service, pages.main(), settings.rules());
      }
      return new HttpHosts.Sites(hosts.isEmpty() ? null : new HostNames(hosts), opened, main);
    } catch (IOException | RuntimeException | Error e) {
      opened.forEach(each -> Objects.requireNonNull(each.service()).close());
      throw e;
    }
  }

  /// Starts the server that redirects plain HTTP to HTTPS, which has a single loop and its own
  /// sockets.
  ///
  /// @return the server, or null if no redirect is configured
  @Nullable Server redirecting(Server started) throws IOException {
    HttpsRedirect wanted = config.redirect();
    if (!wanted.wanted()) {
      return null;
    }
    ServerConfig of = config.server();
    ServerConfig own =
        new ServerConfig(
            "redirect",
            wanted.addresses(),
            List.of(),
            1,
            started.engine().backend(),
            of.engine(),
            of.loop(),
            of.listen(),
            null,
            of.slowPath());
    Routes alone = new Routes(List.of(wanted.route()));
    return Server.start(own, loop -> unlogged(loop, alone, shared.clients()));
  }

  /// Replaces the sites. See [HttpServer#replaceSites].
  synchronized void replaceSites(HttpConfig next) throws IOException {
    HttpPages read = new HttpPages(next);
    List<HttpHosts.Sites> made = new ArrayList<>();
    try {
      for (HttpProtocol each : protocols) {
        made.add(sites(each.loop(), next, read));
      }
    } catch (IOException | RuntimeException | Error e) {
      made.stream().flatMap(sites -> sites.services().stream()).forEach(SiteService::close);
      throw e;
    }
    pages = read;
    for (int i = 0; i < made.size(); i++) {
      protocols.get(i).hosts().replace(made.get(i));
    }
  }

  void publishTo(CounterPublisher into) {
    protocols.forEach(each -> each.publishTo(into));
    HttpSums sums = new HttpSums(protocols);
    sums.publishTo(into);
    ClientTable clients = shared.clients();
    if (clients != null) {
      into.gauge("clients/known_addresses", clients::size);
      into.counter("clients/forgotten_addresses", clients::forgotten);
    }
    if (!tlsContexts().isEmpty()) {
      sums.publishTlsTo(into);
    }
    if (log != null) {
      into.counter("access_log/dropped_records", log::dropped);
      into.counter("access_log/written_records", log::writtenRecords);
      into.counter("access_log/written_bytes", log::writtenBytes);
    }
  }

  /// Reopens the log and reads files again. See [HttpServer#reload].
  void reload() throws IOException {
    if (log != null) {
      log.reopen();
    }
    List<String> failures = new ArrayList<>();
    attempt("the error pages in use stay", pages::reload, failures);
    protocols.forEach(HttpProtocol::forget);
    for (TlsContext tls : tlsContexts()) {
      attempt("the certificate in use stays", tls::reload, failures);
    }
    if (!failures.isEmpty()) {
      throw new IOException(String.join(System.lineSeparator(), failures));
    }
  }

  private interface Attempt {
    void run() throws IOException;
  }

  private static void attempt(String otherwise, Attempt attempt, List<String> failures) {
    try {
      attempt.run();
    } catch (IOException e) {
      failures.add(otherwise + ": " + e.getMessage());
    }
  }

  /// Returns metrics with the expiration times of the certificates. If two contexts have read the
  /// same file at different times, the earlier expiration time of each name is reported.
  private List<Metric> certificates() {
    Map<Map<String, String>, Instant> ends = new LinkedHashMap<>();
    for (TlsContext tls : tlsContexts()) {
      for (TlsCertificate each : tls.certificates()) {
        List<String> names = each.names().isEmpty() ? List.of("") : each.names();
        for (String name : names.subList(0, Math.min(names.size(), MOST_NAMES))) {
          Map<String, String> labels = new LinkedHashMap<>();
          labels.put("file", each.file().toString());
          labels.put("host", name);
          ends.merge(labels, each.notAfter(), (a, b) -> a.isBefore(b) ? a : b);
        }
      }
    }
    return ends.entrySet().stream()
        .map(each -> Metric.gauge(EXPIRY, each.getKey(), (double) each.getValue().getEpochSecond()))
        .toList();
  }

  private Set<TlsContext> tlsContexts() {
    ServerConfig server = config.server();
    return Stream.concat(
            Stream.ofNullable(server.tls()),
            server.adopted().stream().map(AdoptedSocket::tls).filter(Objects::nonNull))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  void close() {
    if (log != null) {
      log.close();
    }
  }
}
