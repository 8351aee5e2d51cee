package sluice.host.site;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import sluice.host.file.UsageException;
import sluice.host.life.PassedSocket;
import sluice.host.plugin.PluginOptions;
import sluice.http.HttpConfig;
import sluice.http.HttpServer;
import sluice.http.HttpsRedirect;
import sluice.http.Monitoring;
import sluice.http.VirtualHost;
import sluice.http.clients.ClientLimits;
import sluice.http.rules.SiteRules;
import sluice.http.site.Compression;
import sluice.http.site.Site;
import sluice.loop.LoopConfig;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.server.AdoptedSocket;
import sluice.loop.server.HandlerThreads;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.loop.tls.TlsContext;
import sluice.loop.tls.TlsOptions;
import sluice.loop.tls.TlsPair;

/// The settings of a server and of one site, which are identified by the names that are used on the
/// command line and in files. This class is not thread-safe. The resulting server configuration is
/// returned by [#config].
public final class SiteOptions {
  private static final int MOST = ClientLimits.MOST;

  /// The file from which the settings were read, not including command line options, or null if
  /// there is none.
  @Nullable SiteFile file;

  Duration drainTimeout = Duration.ofSeconds(10);
  final PluginOptions plugins = new PluginOptions();

  private int port = 8080;
  private boolean portGiven;
  private int metricsPort = -1;
  private boolean demo;
  private @Nullable Path certificate;
  private @Nullable Path key;
  private String host = "127.0.0.1";
  private Backend backend = Backend.AUTO;
  private int loops = 1;
  private int maxConnections = 16_384;
  private long cacheMebibytes = HttpConfig.defaultCacheBytes() >> 20;
  private String cacheControl = "";
  private Duration headerTimeout = Duration.ofSeconds(10);
  private Duration idleTimeout = Duration.ofSeconds(60);
  private Duration sendTimeout = Duration.ofSeconds(60);
  private HandlerThreads handlers = HandlerThreads.SLOW_PATH;
  private @Nullable Path accessLog;
  private String logFormat = "combined";
  private final Map<Integer, String> errorPages = new HashMap<>();
  @Nullable Path directory;
  private boolean listing;
  private boolean revalidate;
  private Site.Tags tags = Site.Tags.INODE;
  private boolean hidden;
  private boolean precompressed = true;
  private Compression compression = Compression.DEFAULT;
  private Site.Symlinks links = Site.Symlinks.INSIDE;
  private List<String> index = List.of("index.html", "index.htm");

  /// The rules, which can be specified only in a file.
  SiteRules rules = SiteRules.NONE;

  /// The possible warnings about a configuration file, with line and fix. Each warning has a test
  /// that determines whether it applies. The tests read directories, which would take too much time
  /// at startup.
  final Map<String, BooleanSupplier> warnings = new LinkedHashMap<>();

  List<VirtualHost> hosts = List.of();
  List<String> tries = List.of();
  Map<String, String> types = Map.of();

  /// The certificates that are selected by name, in addition to the server's certificate.
  final List<TlsPair> certificates = new ArrayList<>();

  int redirectPort = -1;

  private final ClientOptions clients = new ClientOptions();

  /// Sets a value.
  ///
  /// @param name the name of the setting, for messages, which is `port` in a file and `--port` on
  ///   the command line
  /// @param value the value, or null for a setting without a value
  /// @throws UsageException if there is no such setting, or the value is not valid
  public void set(String name, @Nullable String value) throws UsageException {
    if (value != null) {
      value(name, value);
    } else if (!flag(name)) {
      throw new UsageException(name + " needs a value. Fix: write it behind the name");
    }
  }

  /// Enables a setting that does not have a value.
  ///
  /// @return false if there is no such setting
  public boolean flag(String name) {
    switch (key(name)) {
      case "listing" -> listing = true;
      case "revalidate" -> revalidate = true;
      case "demo" -> demo = true;
      case "hidden" -> hidden = true;
      case "no-precompressed" -> precompressed = false;
      default -> {
        return false;
      }
    }
    return true;
  }

  /// Sets the directory to serve.
  ///
  /// @throws UsageException if the directory has already been set
  public void serve(Path root) throws UsageException {
    if (file != null) {
      throw new UsageException(
          "the directory is named in " + file.path() + ", found: " + root + ". Fix: name it once");
    }
    if (directory != null) {
      throw new UsageException(
          "one directory is served, found a second one: " + root + ". Fix: leave one out");
    }
    directory = root;
  }

  private static String key(String name) {
    return name.startsWith("--") ? name.substring(2) : name;
  }

  private void value(String name, String value) throws UsageException {
    switch (key(name)) {
      case "port" -> {
        port = number(name, value, 0, 65_535);
        portGiven = true;
      }
      case "tls-cert" -> certificate = path(value);
      case "tls-key" -> key = path(value);
      case "metrics-port" -> metricsPort = number(name, value, 0, 65_535);
      case "host" -> host = value;
      case "backend" -> backend = backend(value);
      case "loops" -> loops = number(name, value, 1, 256);
      case "max-connections" -> maxConnections = number(name, value, 1, 1 << 20);
      case "cache-mb" -> cacheMebibytes = number(name, value, 0, 1 << 20);
      case "index" -> index = List.of(value.split(","));
      case "symlinks" -> links = links(name, value);
      case "gzip" -> compression = compression.withGzip(number(name, value, 0, 9));
      case "zstd" -> compression = compression.withZstd(number(name, value, 0, 19));
      case "compress-from" ->
          compression = compression.withLeastBytes(number(name, value, 1, Compression.MOST_BYTES));
      case "compress-types" -> compression = compression.withTypes(types(name, value));
      case "etag" -> tags = tags(name, value);
      case "error-page" -> errorPage(name, value);
      case "cache-control" -> cacheControl = value;
      case "handlers" -> handlers = handlers(name, value);
      case "log-format" -> logFormat = format(value);
      case "connections-per-address" -> clients.connections = number(name, value, 1, MOST);
      case "requests-per-address" -> clients.requests = number(name, value, 1, MOST);
      case "burst-per-address" -> clients.burst = number(name, value, 1, MOST);
      case "proxy-protocol" -> clients.proxies(name, value);
      case "access-log" -> accessLog = path(value);
      case "plugin" -> plugins.add(value);
      case "budget" -> plugins.budget(value);
      case "plugin-calls", "plugin-waiting", "plugin-restart" ->
          plugins.term(key(name).substring("plugin-".length()), value);
      case "plugin-timeout" -> plugins.limit(seconds(name, value));
      case "header-timeout" -> headerTimeout = seconds(name, value);
      case "idle-timeout" -> idleTimeout = seconds(name, value);
      case "send-timeout" -> sendTimeout = seconds(name, value);
      case "drain-timeout" -> drainTimeout = seconds(name, value);
      default -> throw new UsageException("unknown option: " + name);
    }
  }

  private static String format(String value) throws UsageException {
    try {
      HttpConfig.checkLogFormat(value);
      return value;
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage() + ". Fix: write one of these");
    }
  }

  private static List<String> types(String name, String value) throws UsageException {
    List<String> types = List.of(value.split(","));
    try {
      return Compression.DEFAULT.withTypes(types).types();
    } catch (IllegalArgumentException e) {
      throw new UsageException(name + ": " + e.getMessage());
    }
  }

  /// Reads a file.
  ///
  /// @throws UsageException with the file, the line, the reason and a fix
  public static SiteOptions read(Path file) throws UsageException {
    SiteOptions options = new SiteOptions();
    SiteFile.read(file, options);
    return options;
  }

  /// Returns the file from which the settings were read, or null if there is none.
  public @Nullable SiteFile file() {
    return file;
  }

  /// Returns the plug-in options.
  public PluginOptions plugins() {
    return plugins;
  }

  /// Returns the timeout for requests that are in progress when the server is stopped.
  public Duration drainTimeout() {
    return drainTimeout;
  }

  /// Returns warnings about suspicious settings in the file, with line and fix. This method reads
  /// the directories of the sites.
  public List<String> warnings() {
    List<String> counting = new ArrayList<>();
    warnings.forEach((warning, counts) -> {
      if (counts.getAsBoolean()) {
        counting.add(warning);
      }
    });
    return counting;
  }

  /// Returns the directory to serve, or the first directory if there are several.
  ///
  /// @throws UsageException if no directory is specified
  public Path directory() throws UsageException {
    if (directory == null && !hosts.isEmpty()) {
      return hosts.getFirst().site().root();
    }
    if (directory == null) {
      throw new UsageException("no directory is named that is to be served. Fix: sluice serve DIR");
    }
    return directory;
  }

  /// Returns the configuration of the server.
  ///
  /// @param sockets the sockets that were passed to this process; sockets for the site override
  ///   host and port, unless a port is specified
  /// @throws UsageException if a value is not valid in combination with others
  /// @throws IOException if the host name cannot be resolved, or the certificate or key cannot be
  ///   used
  public HttpConfig config(List<PassedSocket> sockets) throws UsageException, IOException {
    InetAddress address = address();
    TlsContext tls = tls();
    List<AdoptedSocket> adopted = adopted(sockets, tls);
    boolean listen = portGiven || adopted.isEmpty();
    ServerConfig server =
        new ServerConfig(
            "http",
            listen ? List.of(new InetSocketAddress(address, port)) : List.of(),
            adopted,
            loops,
            backend,
            EngineConfig.DEFAULT.withMaxSockets(Math.clamp(4L * maxConnections, 65_536, 1 << 20)),
            LoopConfig.DEFAULT
                .withMaxConnections(maxConnections)
                .withWriteTimeout(sendTimeout.toNanos()),
            ListenOptions.DEFAULT,
            tls,
            Server.VIRTUAL_THREADS,
            handlers);
    try {
      HttpConfig config =
          HttpConfig.of(server, site())
              .withRules(rules)
              .withHosts(hosts, directory == null)
              .withCacheBytes(cacheMebibytes << 20)
              .withCacheControl(cacheControl)
              .withLogFormat(logFormat)
              .withTimeouts(headerTimeout, idleTimeout)
              .withRoutes(demo ? DemoHandlers.routes() : List.of())
              .withMonitoring(monitoring(address, sockets))
              .withClientLimits(clients.limits())
              .withProxies(clients.proxies());
      if (redirectPort >= 0) {
        List<SocketAddress> plain = List.of(new InetSocketAddress(address, redirectPort));
        config = config.withRedirect(new HttpsRedirect(plain, listen && port > 0 ? port : 443));
      }
      HttpConfig watching = revalidate ? config.withWatches(0) : config;
      return accessLog == null ? watching : watching.withAccessLog(accessLog);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  /// Returns the site for the directory.
  Site site() throws UsageException {
    return indexed(Site.of(directory()))
        .withSymlinks(links)
        .withListing(listing)
        .withHiddenFiles(hidden)
        .withCompression(precompressed, compression)
        .withErrorPages(errorPages)
        .withTags(tags)
        .withTries(tries)
        .withTypes(types);
  }

  private Site indexed(Site site) throws UsageException {
    try {
      return site.withIndexNames(index);
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          "index takes names of files: " + String.join(",", index) + ": " + e.getMessage());
    }
  }

  private static List<AdoptedSocket> adopted(List<PassedSocket> sockets, @Nullable TlsContext tls)
      throws UsageException {
    List<AdoptedSocket> adopted = new ArrayList<>();
    for (PassedSocket socket : sockets) {
      switch (socket.use()) {
        case SITE -> adopted.add(new AdoptedSocket(socket.fd(), tls));
        case HTTP -> adopted.add(new AdoptedSocket(socket.fd(), null));
        case HTTPS -> {
          if (tls == null) {
            throw new UsageException(
                "socket " + socket.fd() + " is named https: give --tls-cert and --tls-key");
          }
          adopted.add(new AdoptedSocket(socket.fd(), tls));
        }
        case MONITORING -> {}
      }
    }
    return adopted;
  }

  private Monitoring monitoring(InetAddress address, List<PassedSocket> sockets) {
    return new Monitoring(
        metricsPort < 0 ? List.of() : List.of(new InetSocketAddress(address, metricsPort)),
        sockets.stream()
            .filter(each -> each.use() == PassedSocket.Use.MONITORING)
            .map(PassedSocket::fd)
            .toList());
  }

  private InetAddress address() throws IOException {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      String why = "cannot listen on --host " + host + ". Why: no address is known for this name";
      String fix = "give an address that `ip addr` lists, or 0.0.0.0 for all.";
      throw placed(host, new IOException(why + ". Fix: " + fix, e));
    }
  }

  /// Performs all checks of a start, without listening.
  ///
  /// @return the configuration of the server that would be started
  /// @throws UsageException if a setting is not valid, with file, line, reason and fix
  /// @throws IOException if a resource cannot be used, with file, line, reason and fix
  public HttpConfig check() throws UsageException, IOException {
    HttpConfig config = config(List.of());
    checkLog();
    HttpServer.check(config);
    return config;
  }

  /// Checks that the access log can be opened, without creating the file.
  private void checkLog() throws IOException {
    Path log = accessLog;
    if (log == null) {
      return;
    }
    Path above = log.toAbsolutePath().getParent();
    String why = null;
    if (Files.exists(log)) {
      why = Files.isDirectory(log) ? "it is a directory" : "this user may not write it";
      why = !Files.isDirectory(log) && Files.isWritable(log) ? null : why;
    } else if (above == null || !Files.isDirectory(above)) {
      why = "its directory is missing";
    } else if (!Files.isWritable(above)) {
      why = "this user may not write in its directory";
    }
    if (why != null) {
      String fix = "name a file in a directory that is there, and that this user may write";
      String message = "access log " + log + " cannot be opened. Why: " + why + ". Fix: " + fix;
      throw placed(log.toString(), new IOException(message));
    }
  }

  /// Adds the position of a value to an error if the value was read from the file.
  private IOException placed(String value, IOException problem) {
    SiteFile from = file;
    return from == null ? problem : from.placed(value, problem);
  }

  private @Nullable TlsContext tls() throws UsageException, IOException {
    Path chain = certificate;
    Path secret = key;
    if (chain == null && secret == null) {
      return null;
    }
    if (chain == null || secret == null) {
      throw new UsageException(
          "--tls-cert and --tls-key are given together. Fix: give the other one, too");
    }
    List<TlsPair> pairs = new ArrayList<>();
    pairs.add(new TlsPair(chain, secret));
    pairs.addAll(certificates);
    try {
      return TlsContext.load(pairs, TlsOptions.HTTP);
    } catch (IOException e) {
      for (TlsPair each : pairs) {
        requireUsable(each);
      }
      throw e;
    }
  }

  private void requireUsable(TlsPair pair) throws IOException {
    try {
      TlsContext _ = TlsContext.load(List.of(pair), TlsOptions.HTTP);
    } catch (IOException e) {
      throw placed(pair.certificate().toString(), e);
    }
  }

  private static Duration seconds(String name, String value) throws UsageException {
    return Duration.ofSeconds(number(name, value, 1, 86_400));
  }

  private static int number(String name, String value, int low, int high) throws UsageException {
    try {
      int number = Integer.parseInt(value);
      if (number >= low && number <= high) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The error is reported below together with the range.
    }
    throw new UsageException(
        name
            + " takes a number from "
            + low
            + " to "
            + high
            + ": "
            + value
            + ". Fix: write one of these");
  }

  private static Path path(String value) throws UsageException {
    if (value.isEmpty()) { // from an unset variable; as a path it would be the current directory
      throw new UsageException("a file name is empty. Fix: set the variable that it is from");
    }
    try {
      return Path.of(value);
    } catch (InvalidPathException e) {
      throw new UsageException("not a file name: " + value + ". Fix: leave the NUL out");
    }
  }

  private static Backend backend(String value) throws UsageException {
    try {
      return Backend.parse(value);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage() + ". Fix: write one of these");
    }
  }

  private static HandlerThreads handlers(String name, String value) throws UsageException {
    return switch (value) {
      case "virtual" -> HandlerThreads.SLOW_PATH;
      case "loop" -> HandlerThreads.LOOP;
      default ->
          throw new UsageException(
              name + " is virtual or loop: " + value + ". Fix: write one of them");
    };
  }

  private static Site.Symlinks links(String name, String value) throws UsageException {
    return switch (value) {
      case "refuse" -> Site.Symlinks.REFUSE;
      case "inside" -> Site.Symlinks.INSIDE;
      case "follow" -> Site.Symlinks.FOLLOW;
      default ->
          throw new UsageException(
              name + " is refuse, inside or follow: " + value + ". Fix: write one of them");
    };
  }

  private static Site.Tags tags(String name, String value) throws UsageException {
    return switch (value) {
      case "inode" -> Site.Tags.INODE;
      case "mtime-size" -> Site.Tags.MTIME_SIZE;
      case "content" -> Site.Tags.CONTENT;
      default ->
          throw new UsageException(
              name + " is inode, mtime-size or content: " + value + ". Fix: write one of them");
    };
  }

  private void errorPage(String name, String value) throws UsageException {
    int equals = value.indexOf('=');
    if (equals < 0) {
      throw new UsageException(
          name + " takes CODE=FILE: " + value + ". Fix: " + name + " 404=404.html");
    }
    errorPages.put(number(name, value.substring(0, equals), 400, 599), value.substring(equals + 1));
  }
}
