package sluice.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import sluice.http.handlers.RouteTable;
import sluice.http.handlers.Routes;
import sluice.http.log.AccessLog;
import sluice.http.reply.ErrorPages;
import sluice.http.service.SiteService;
import sluice.http.site.Site;
import sluice.loop.Loop;
import sluice.loop.Protocol;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.server.AdoptedSocket;
import sluice.loop.server.ServerConfig;
import sluice.loop.tls.TlsContext;

/// What the loops of a server share, and what each of them was given. Loops start one after
/// another; any thread may call the rest.
final class HttpParts {
  final HttpConfig config;
  final ErrorPages errors;
  final Routes routes;
  final Observatory observatory = new Observatory();
  private final @Nullable AccessLog log;
  private final List<HttpProtocol> protocols = new CopyOnWriteArrayList<>();

  /// @throws IOException when an error page or the access log cannot be opened
  HttpParts(HttpConfig config, Consumer<String> complaints) throws IOException {
    this.config = config;
    this.errors = new ErrorPages(errorPages(config.site()));
    this.routes = new Routes(config.routes());
    Path file = config.accessLog();
    this.log = file == null ? null : new AccessLog(file, ZoneId.systemDefault(), complaints);
  }

  private static Map<Integer, Path> errorPages(Site site) {
    Map<Integer, Path> files = new HashMap<>();
    site.errorPages().forEach((status, path) -> files.put(status, site.root().resolve(path)));
    return files;
  }

  /// What a loop serves. Called by its thread.
  Protocol protocol(Loop loop) {
    try {
      return protocol(loop, SiteService.open(loop, config.perLoop()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// What a loop serves in front of an application. Called by its thread.
  HttpFront front(Loop loop) throws IOException {
    SiteService site = SiteService.open(loop, config.perLoop());
    return new HttpFront(protocol(loop, site), site);
  }

  private HttpProtocol protocol(Loop loop, SiteService site) {
    loop.onClose(site::close);
    RouteTable table = new RouteTable(routes, config.limits());
    HttpProtocol made = new HttpProtocol(loop, config, site, table, errors, log);
    protocols.add(made);
    return made;
  }

  void publishTo(CounterPublisher into) {
    protocols.forEach(each -> each.publishTo(into));
    if (log != null) {
      into.counter("access_log/dropped_records", log::dropped);
    }
  }

  /// As [HttpServer#reload].
  void reload() throws IOException {
    if (log != null) {
      log.reopen();
    }
    List<String> failures = new ArrayList<>();
    attempt("the error pages in use stay", errors::reload, failures);
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
