package sluice.cli;

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
import sluice.cli.console.UsageException;
import sluice.cli.domain.PluginOptions;
import sluice.http.HttpConfig;
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

/// The command line of `sluice serve`. Used by the main thread.
///
/// Parsed by hand: picocli alone would take as long as all the rest of a start, see
/// `docs/decisions.md`.
final class ServeOptions {
  static final String USAGE =
      """
      Usage: sluice serve DIR [OPTIONS]
             sluice serve --config FILE [OPTIONS]
      Serves a directory over HTTP/1.1.

        --config FILE           hosts, rules and all of these from a TOML file, see docs/site.md;
                                options beside it count before it; 'sluice config check FILE' tells
                                what is wrong; SIGHUP reads it again, all or nothing
        --port N                TCP port, 0 for any free one (8080); not needed where systemd
                                passes sockets
        --host ADDRESS          address to listen on, 0.0.0.0 or :: for all (127.0.0.1)
        --backend NAME          auto, io_uring, epoll, poll or jdk (auto)
        --loops N               event loops, each a thread (1)
        --max-connections N     connections per loop; for one more the longest idle is closed, or it
                                is answered 503 (16384)
        --cache-mb N            most memory for ready replies in MiB, 0 for none (1/32 of the
                                machine's or the container's, 64 to 512)
        --index NAME,...        files that stand for their directory (index.html,index.htm)
        --listing               list directories that have no index file: directories first, then
                                names by code point, up to 10000 and the number of the others
        --hidden                serve names that begin with a dot
        --symlinks POLICY       refuse, inside (those that stay in DIR) or follow (inside)
        --gzip LEVEL            compress on the fly, 1 to 9, 0 for never (6)
        --zstd LEVEL            the same by zstd, 1 to 19, where libzstd is there (0)
        --compress-from BYTES   do so from this length on, to 1 MiB (256)
        --compress-types LIST   and with these media types, such as text/*,image/svg+xml (those
                                that are likely to become smaller)
        --no-precompressed      ignore NAME.br, NAME.zst and NAME.gz beside NAME
        --error-page CODE=FILE  body of replies with a status from 400 to 599: HTML beneath DIR,
                                such as --error-page 404=errors/404.html; may be repeated; read
                                at the start and on SIGHUP, all of them or none
        --etag FORM             inode: exact and strong, different on each machine (default);
                                content: SHA-256, strong, the same on replicas, for files up to
                                1 MiB, others as mtime-size;
                                mtime-size: weak, the same on replicas that keep times, and on
                                two versions of one second and size
        --revalidate            compare each file on each use instead of watching for changes:
                                sees changes below an overlay and mounts, costs a system call
        --cache-control VALUE   value of Cache-Control on files (none)
        --tls-cert FILE         serve HTTPS with this certificate chain, PEM
        --tls-key FILE          its private key, PEM; may be the same file
        --metrics-port N        port for /metrics and /healthz on the same address (none)
        --plugin PATH=JAR       answer PATH and all below by the plug-in in JAR, in a domain of its
                                own; may be repeated; SIGHUP loads a changed JAR; see
                                docs/domains.md
        --budget LIST           what the plug-in named before may use, such as
                                cpu=20%,alloc=50MB/s,threads=8 (256 threads); over it: 503
        --plugin-timeout N      seconds a plug-in may take for a reply (10); after it: 503
        --handlers WHERE        virtual: slow handlers run on virtual threads of the JVM (default);
                                loop: on virtual threads that the loop's own thread carries, for
                                trusted code that waits more than it computes
        --demo                  answer /demo/hello and /demo/report by handlers
        --connections-per-address N  connections of one client address; one more is answered 429
        --requests-per-address N     requests a second of one client address; more are answered 429
        --burst-per-address N        requests it may send at once (a second's, at least 10)
        --proxy-protocol LIST   addresses, such as 10.0.0.0/8,::1, whose connections begin with the
                                PROXY protocol, version 1 or 2, and so name their client
        --access-log FILE       append a line per request
        --log-format FORMAT     combined, json, or a line such as '{address} {request} {status}',
                                see docs/site.md (combined)
        --header-timeout N      seconds a request head may take (10)
        --idle-timeout N        seconds a connection may be idle (60)
        --send-timeout N        seconds a client may take nothing of its reply (60)
        --drain-timeout N       seconds to finish after SIGTERM (10)
      """;

  private static final int MOST = ClientLimits.MOST;

  boolean help;

  /// That all this was read from, beside the words; null for none.
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

  /// What only a file can say.
  SiteRules rules = SiteRules.NONE;

  /// What may be strange in a configuration file, with line and fix, and tells whether it is: that
  /// takes looks at the disk which a start has no time for.
  final Map<String, BooleanSupplier> warnings = new LinkedHashMap<>();

  List<VirtualHost> hosts = List.of();
  List<String> tries = List.of();
  Map<String, String> types = Map.of();

  /// Beside that of the server, chosen by name.
  final List<TlsPair> certificates = new ArrayList<>();

  int redirectPort = -1;

  private final ClientOptions clients = new ClientOptions();

  private final List<String> words;
  private int next;

  private ServeOptions(List<String> words) {
    this.words = words;
  }

  /// Reads the words after `serve`.
  ///
  /// @throws UsageException when one is unknown, has no value or a wrong one, or DIR is missing
  static ServeOptions parse(List<String> words) throws UsageException {
    ServeOptions options = new ServeOptions(words);
    Path config = configFile(words);
    if (config != null) {
      options.file = SiteFile.read(config, options);
    }
    while (options.next < words.size()) {
      options.word(words.get(options.next++));
    }
    if (!options.help) {
      options.directory();
    }
    return options;
  }

  /// The options of one of several sites, without server.
  static ServeOptions ofSite() {
    return new ServeOptions(List.of());
  }

  /// The file named by `--config`; null for none.
  private static @Nullable Path configFile(List<String> words) throws UsageException {
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.startsWith("--config=")) {
        return path(word.substring("--config=".length()));
      }
      if (word.equals("--config")) {
        if (i + 1 == words.size()) {
          throw new UsageException("--config needs a value");
        }
        return path(words.get(i + 1));
      }
    }
    return null;
  }

  private void word(String word) throws UsageException {
    if (!word.startsWith("-")) {
      if (file != null) {
        throw new UsageException("the directory is named in " + file.path() + ", found: " + word);
      }
      if (directory != null) {
        throw new UsageException("one directory is served, found a second one: " + word);
      }
      directory = path(word);
      return;
    }
    int equals = word.indexOf('=');
    String name = equals < 0 ? word : word.substring(0, equals);
    @Nullable String attached = equals < 0 ? null : word.substring(equals + 1);
    if (!flag(name)) {
      value(name, attached != null ? attached : following(name));
    } else if (attached != null) {
      throw new UsageException(name + " takes no value: " + word);
    }
  }

  /// One option that the file names.
  ///
  /// @param value null for one without
  void set(String name, @Nullable String value) throws UsageException {
    if (value == null) {
      boolean _ = flag(name);
    } else {
      value(name, value);
    }
  }

  private boolean flag(String name) {
    switch (name) {
      case "--listing" -> listing = true;
      case "--revalidate" -> revalidate = true;
      case "--demo" -> demo = true;
      case "--hidden" -> hidden = true;
      case "--no-precompressed" -> precompressed = false;
      case "-h", "--help" -> help = true;
      default -> {
        return false;
      }
    }
    return true;
  }

  private void value(String name, String value) throws UsageException {
    switch (name) {
      case "--port" -> {
        port = number(name, value, 0, 65_535);
        portGiven = true;
      }
      case "--config" -> {} // was read before
      case "--tls-cert" -> certificate = path(value);
      case "--tls-key" -> key = path(value);
      case "--metrics-port" -> metricsPort = number(name, value, 0, 65_535);
      case "--host" -> host = value;
      case "--backend" -> backend = backend(value);
      case "--loops" -> loops = number(name, value, 1, 256);
      case "--max-connections" -> maxConnections = number(name, value, 1, 1 << 20);
      case "--cache-mb" -> cacheMebibytes = number(name, value, 0, 1 << 20);
      case "--index" -> index = List.of(value.split(","));
      case "--symlinks" -> links = links(value);
      case "--gzip" -> compression = compression.withGzip(number(name, value, 0, 9));
      case "--zstd" -> compression = compression.withZstd(number(name, value, 0, 19));
      case "--compress-from" ->
          compression = compression.withLeastBytes(number(name, value, 1, Compression.MOST_BYTES));
      case "--compress-types" -> compression = compression.withTypes(types(name, value));
      case "--etag" -> tags = tags(value);
      case "--error-page" -> errorPage(value);
      case "--cache-control" -> cacheControl = value;
      case "--handlers" -> handlers = handlers(value);
      case "--log-format" -> logFormat = format(value);
      case "--connections-per-address" -> clients.connections = number(name, value, 1, MOST);
      case "--requests-per-address" -> clients.requests = number(name, value, 1, MOST);
      case "--burst-per-address" -> clients.burst = number(name, value, 1, MOST);
      case "--proxy-protocol" -> clients.proxies(value);
      case "--access-log" -> accessLog = path(value);
      case "--plugin" -> plugins.add(value);
      case "--budget" -> plugins.budget(value);
      case "--plugin-timeout" -> plugins.limit(seconds(name, value));
      case "--header-timeout" -> headerTimeout = seconds(name, value);
      case "--idle-timeout" -> idleTimeout = seconds(name, value);
      case "--send-timeout" -> sendTimeout = seconds(name, value);
      case "--drain-timeout" -> drainTimeout = seconds(name, value);
      default -> throw new UsageException("unknown option: " + name);
    }
  }

  private static String format(String value) throws UsageException {
    try {
      HttpConfig.checkLogFormat(value);
      return value;
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
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

  private String following(String name) throws UsageException {
    if (!USAGE.contains(" " + name + " ")) {
      throw new UsageException("unknown option: " + name);
    }
    if (next == words.size()) {
      throw new UsageException(name + " needs a value");
    }
    return words.get(next++);
  }

  /// The directory to serve, of several the first.
  Path directory() throws UsageException {
    if (directory == null && !hosts.isEmpty()) {
      return hosts.getFirst().site().root();
    }
    if (directory == null) {
      throw new UsageException("which directory shall be served?");
    }
    return directory;
  }

  /// The server these options describe.
  ///
  /// @param sockets that were passed to this process; those for the site stand for host and port
  ///   unless a port is given too
  /// @throws UsageException when an option has a value that its user refuses
  /// @throws IOException when the host has no address, or certificate or key cannot be used
  HttpConfig config(List<PassedSocket> sockets) throws UsageException, IOException {
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

  /// The site in the directory.
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
          "--index takes names of files: " + String.join(",", index) + ": " + e.getMessage());
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

  /// Looks whether the access log could be opened, without making it.
  ///
  /// @throws IOException with why and fix
  void checkLog() throws IOException {
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

  /// What is wrong with a value, and where it stands if the file has it.
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
      throw new UsageException("--tls-cert and --tls-key are given together");
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
      // said below, with the range
    }
    throw new UsageException(name + " takes a number from " + low + " to " + high + ": " + value);
  }

  private static Path path(String value) throws UsageException {
    if (value.isEmpty()) { // of an unset variable; as a path it is the current directory
      throw new UsageException("a file name is empty");
    }
    try {
      return Path.of(value);
    } catch (InvalidPathException e) {
      throw new UsageException("not a file name: " + value);
    }
  }

  private static Backend backend(String value) throws UsageException {
    try {
      return Backend.parse(value);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static HandlerThreads handlers(String value) throws UsageException {
    return switch (value) {
      case "virtual" -> HandlerThreads.SLOW_PATH;
      case "loop" -> HandlerThreads.LOOP;
      default -> throw new UsageException("--handlers is virtual or loop: " + value);
    };
  }

  private static Site.Symlinks links(String value) throws UsageException {
    return switch (value) {
      case "refuse" -> Site.Symlinks.REFUSE;
      case "inside" -> Site.Symlinks.INSIDE;
      case "follow" -> Site.Symlinks.FOLLOW;
      default -> throw new UsageException("--symlinks is refuse, inside or follow: " + value);
    };
  }

  private static Site.Tags tags(String value) throws UsageException {
    return switch (value) {
      case "inode" -> Site.Tags.INODE;
      case "mtime-size" -> Site.Tags.MTIME_SIZE;
      case "content" -> Site.Tags.CONTENT;
      default -> throw new UsageException("--etag is inode, mtime-size or content: " + value);
    };
  }

  private void errorPage(String value) throws UsageException {
    int equals = value.indexOf('=');
    if (equals < 0) {
      throw new UsageException("--error-page takes CODE=FILE, such as 404=404.html: " + value);
    }
    errorPages.put(
        number("--error-page", value.substring(0, equals), 400, 599), value.substring(equals + 1));
  }
}
