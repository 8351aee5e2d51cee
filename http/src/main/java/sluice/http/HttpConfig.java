package sluice.http;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.http.clients.ClientLimits;
import sluice.http.handlers.Route;
import sluice.http.log.AccessLog;
import sluice.http.parse.HttpLimits;
import sluice.http.rules.AddressRange;
import sluice.http.rules.HeaderRule;
import sluice.http.rules.PathPattern;
import sluice.http.rules.SiteRules;
import sluice.http.service.SiteSettings;
import sluice.http.site.Site;
import sluice.loop.server.ServerConfig;

/// The configuration of an [HttpServer].
///
/// @param server the addresses, loops and backend
/// @param site the files to serve
/// @param limits the limits on the size of a request head
/// @param cacheBytes the memory for cached replies of all loops in bytes, or 0 to cache none; see
///   [#defaultCacheBytes]
/// @param cacheControl the value of `Cache-Control` in replies with files, or an empty string to
///   omit the field
/// @param watches the number of inotify watches for each loop, at least 2. The default is 65 536.
///   One watch is used for each cached file and directory and is shared by all loops. If the system
///   allows fewer watches, the least recently used are evicted. If the number is 0, each cache hit
///   checks the file system for changes of its file
/// @param headerTimeout the maximum time from the first byte of a request head to its last
/// @param idleTimeout the time after which a connection without a request is closed
/// @param accessLog the file of the access log, or null to disable it
/// @param monitoring the addresses that serve `/metrics` and `/healthz`
/// @param routes the paths that are served by handlers instead of the site, under every host name
/// @param rules the rules that apply to paths of `site`
/// @param hosts the virtual hosts, which have their own sites
/// @param namedOnly true to answer 421 for unknown host names instead of serving `site`
/// @param redirect the addresses at which plain HTTP is redirected to HTTPS
/// @param logFormat the format of the access log: `combined`, `json`, or the text of a line with
///   variables: `{address}`, `{time}`, `{request}`, `{method}`, `{target}`, `{status}`, `{bytes}`,
///   `{referrer}`, `{agent}`
/// @param clientLimits the limits on the connections and requests of a single address
/// @param proxies the addresses whose connections begin with a header of the PROXY protocol,
///   version 1 or 2, which contains the client's address. Connections from other addresses must not
///   send it
public record HttpConfig(
    ServerConfig server,
    Site site,
    HttpLimits limits,
    long cacheBytes,
    String cacheControl,
    int watches,
    Duration headerTimeout,
    Duration idleTimeout,
    @Nullable Path accessLog,
    Monitoring monitoring,
    List<Route> routes,
    SiteRules rules,
    List<VirtualHost> hosts,
    boolean namedOnly,
    HttpsRedirect redirect,
    String logFormat,
    ClientLimits clientLimits,
    List<AddressRange> proxies) {

  public HttpConfig {
    routes = List.copyOf(routes);
    hosts = List.copyOf(hosts);
    proxies = List.copyOf(proxies);
    if (namedOnly && hosts.isEmpty()) {
      throw new IllegalArgumentException("no host is named");
    }
    AccessLog.checkFormat(logFormat);
    HostNames _ = new HostNames(hosts); // rejects duplicate names
    if (cacheBytes < 0) {
      throw new IllegalArgumentException("cacheBytes must not be negative: " + cacheBytes);
    }
    if (headerTimeout.toMillis() < 100 || idleTimeout.toMillis() < 100) {
      throw new IllegalArgumentException("timeouts must be at least 100 ms");
    }
    if (!cacheControl.chars().allMatch(c -> c >= ' ' && c < 127)) {
      throw new IllegalArgumentException("cacheControl has a control character");
    }
  }

  private static final long LEAST_DEFAULT_CACHE_BYTES = 64L << 20;
  private static final long MOST_DEFAULT_CACHE_BYTES = 512L << 20;

  /// Returns the default of `cacheBytes`, which is one eighth of the maximum heap size, but at
  /// least 64 and at most 512 MiB. Since the default heap size is a quarter of the memory of the
  /// machine or its control group, this is 1/32 of that memory. A small site uses less.
  public static long defaultCacheBytes() {
    return Math.clamp(
        Runtime.getRuntime().maxMemory() / 8, LEAST_DEFAULT_CACHE_BYTES, MOST_DEFAULT_CACHE_BYTES);
  }

  /// Returns a configuration with [#defaultCacheBytes], a header timeout of ten seconds, an idle
  /// timeout of one minute, and no access log.
  public static HttpConfig of(ServerConfig server, Site site) {
    return new HttpConfig(
        server,
        site,
        HttpLimits.DEFAULT,
        defaultCacheBytes(),
        "",
        65_536,
        Duration.ofSeconds(10),
        Duration.ofSeconds(60),
        null,
        Monitoring.NONE,
        List.of(),
        SiteRules.NONE,
        List.of(),
        false,
        HttpsRedirect.NONE,
        AccessLog.COMBINED,
        ClientLimits.NONE,
        List.of());
  }

  /// Checks the format of an access log.
  ///
  /// @throws IllegalArgumentException if the format is invalid; the message names an unknown
  ///   variable
  public static void checkLogFormat(String value) {
    AccessLog.checkFormat(value);
  }

  public HttpConfig withLogFormat(String value) {
    Draft draft = new Draft(this);
    draft.logFormat = value;
    return draft.made();
  }

  public HttpConfig withClientLimits(ClientLimits value) {
    Draft draft = new Draft(this);
    draft.clientLimits = value;
    return draft.made();
  }

  /// Returns a copy of this configuration with the given proxies.
  ///
  /// @param value the addresses whose connections begin with a header of the PROXY protocol
  public HttpConfig withProxies(List<AddressRange> value) {
    Draft draft = new Draft(this);
    draft.proxies = value;
    return draft.made();
  }

  public HttpConfig withRules(SiteRules value) {
    Draft draft = new Draft(this);
    draft.rules = value;
    return draft.made();
  }

  /// Returns a copy of this configuration with the given virtual hosts.
  ///
  /// @param value the virtual hosts
  /// @param only true to refuse requests for other host names
  public HttpConfig withHosts(List<VirtualHost> value, boolean only) {
    Draft draft = new Draft(this);
    draft.hosts = value;
    draft.namedOnly = only;
    return draft.made();
  }

  public HttpConfig withRedirect(HttpsRedirect value) {
    Draft draft = new Draft(this);
    draft.redirect = value;
    return draft.made();
  }

  /// Returns a copy of this configuration with the given routes.
  ///
  /// @param value the routes; a request is served by the route with the longest prefix that matches
  ///   its path, or by the site if no route matches
  public HttpConfig withRoutes(List<Route> value) {
    Draft draft = new Draft(this);
    draft.routes = value;
    return draft.made();
  }

  public HttpConfig withMonitoring(Monitoring value) {
    Draft draft = new Draft(this);
    draft.monitoring = value;
    return draft.made();
  }

  public HttpConfig withAccessLog(Path file) {
    Draft draft = new Draft(this);
    draft.accessLog = file;
    return draft.made();
  }

  public HttpConfig withCacheBytes(long bytes) {
    Draft draft = new Draft(this);
    draft.cacheBytes = bytes;
    return draft.made();
  }

  public HttpConfig withWatches(int count) {
    Draft draft = new Draft(this);
    draft.watches = count;
    return draft.made();
  }

  public HttpConfig withCacheControl(String value) {
    Draft draft = new Draft(this);
    draft.cacheControl = value;
    return draft.made();
  }

  public HttpConfig withTimeouts(Duration header, Duration idle) {
    Draft draft = new Draft(this);
    draft.headerTimeout = header;
    draft.idleTimeout = idle;
    return draft.made();
  }

  /// Returns the settings that each loop uses for the main site.
  SiteSettings perLoop() {
    return perLoop(site, rules);
  }

  /// Returns the settings that each loop uses for the given site. All sites share the memory and
  /// the watches.
  SiteSettings perLoop(Site one, SiteRules itsRules) {
    int sites = hosts.size() + (namedOnly ? 0 : 1);
    List<HeaderRule> headers = new ArrayList<>();
    if (!cacheControl.isEmpty()) {
      headers.add(new HeaderRule(PathPattern.of("*"), Map.of("Cache-Control", cacheControl)));
    }
    headers.addAll(itsRules.headers());
    int share = watches == 0 ? 0 : Math.max(2, watches / sites);
    return new SiteSettings(
        one, cacheBytes / server.loops() / sites, itsRules.withHeaders(headers), share);
  }

  /// A mutable copy of the values, so that each `with` method only assigns the value that it
  /// changes.
  private static final class Draft {
    ServerConfig server;
    Site site;
    HttpLimits limits;
    long cacheBytes;
    String cacheControl;
    int watches;
    Duration headerTimeout;
    Duration idleTimeout;
    @Nullable Path accessLog;
    Monitoring monitoring;
    List<Route> routes;
    SiteRules rules;
    List<VirtualHost> hosts;
    boolean namedOnly;
    HttpsRedirect redirect;
    String logFormat;
    ClientLimits clientLimits;
    List<AddressRange> proxies;

    Draft(HttpConfig of) {
      server = of.server;
      site = of.site;
      limits = of.limits;
      cacheBytes = of.cacheBytes;
      cacheControl = of.cacheControl;
      watches = of.watches;
      headerTimeout = of.headerTimeout;
      idleTimeout = of.idleTimeout;
      accessLog = of.accessLog;
      monitoring = of.monitoring;
      routes = of.routes;
      rules = of.rules;
      hosts = of.hosts;
      namedOnly = of.namedOnly;
      redirect = of.redirect;
      logFormat = of.logFormat;
      clientLimits = of.clientLimits;
      proxies = of.proxies;
    }

    HttpConfig made() {
      return new HttpConfig(
          server,
          site,
          limits,
          cacheBytes,
          cacheControl,
          watches,
          headerTimeout,
          idleTimeout,
          accessLog,
          monitoring,
          routes,
          rules,
          hosts,
          namedOnly,
          redirect,
          logFormat,
          clientLimits,
          proxies);
    }
  }
}
