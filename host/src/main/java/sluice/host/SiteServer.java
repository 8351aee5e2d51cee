package sluice.host;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.host.control.ControlSocket;
import sluice.host.file.UsageException;
import sluice.host.life.JvmMetrics;
import sluice.host.life.Part;
import sluice.host.life.PartHealth;
import sluice.host.life.PassedSocket;
import sluice.host.plugin.Plugins;
import sluice.host.site.SiteFile;
import sluice.host.site.SiteOptions;
import sluice.http.HttpConfig;
import sluice.http.HttpServer;
import sluice.http.handlers.Route;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.Counters;
import sluice.loop.sockets.ClassFiles;
import sluice.sys.threads.Uninterrupted;

/// A running server of one or more sites and their plug-ins. This class is thread-safe.
///
/// ```java
/// SiteOptions options = SiteOptions.read(Path.of("site.toml"));
/// try (SiteServer server = SiteServer.start(options, System.err::println)) {
///   server.awaitEnd();
/// }
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | source | the thread that starts it | volatile | volatile |
/// | ending | the thread that ends it | volatile | volatile |
public final class SiteServer implements Part {
  /// A source from which the settings can be read again.
  @FunctionalInterface
  public interface Source {
    /// Reads the settings.
    ///
    /// @throws UsageException with file, line, reason and fix
    SiteOptions read() throws UsageException;
  }

  private final SiteOptions options;
  private final Path directory;
  private final Plugins plugins;
  private final HttpServer server;
  private volatile @Nullable Source source;
  private volatile boolean ending;

  private SiteServer(SiteOptions options, Path directory, Plugins plugins, HttpServer server) {
    this.options = options;
    this.directory = directory;
    this.plugins = plugins;
    this.server = server;
  }

  /// Starts a server.
  ///
  /// @param messages a consumer that receives one line per event and may be invoked by any thread
  /// @throws UsageException if settings contradict each other
  /// @throws IOException if the server cannot start, with reason and fix
  public static SiteServer start(SiteOptions options, Consumer<String> messages)
      throws UsageException, IOException {
    return start(options, List.of(), messages);
  }

  /// Starts a server that also accepts connections on sockets which are already listening.
  ///
  /// @param sockets the sockets that the service manager passed to this process
  public static SiteServer start(
      SiteOptions options, List<PassedSocket> sockets, Consumer<String> messages)
      throws UsageException, IOException {
    ClassFiles.ready(SiteServer.class);
    Path directory = options.directory();
    Plugins plugins = Plugins.load(options.plugins(), messages);
    try {
      requireDirectory(options, directory);
      HttpConfig config = options.config(sockets);
      List<Route> all = new ArrayList<>(config.routes());
      all.addAll(plugins.routes());
      HttpServer server = HttpServer.start(config.withRoutes(all), messages, plugins::await);
      server.tellMetricsOf(JvmMetrics::read);
      plugins.look();
      return new SiteServer(options, directory, plugins, server);
    } catch (UsageException | IOException | RuntimeException e) {
      plugins.close();
      throw e;
    }
  }

  private static void requireDirectory(SiteOptions options, Path directory) throws IOException {
    if (options.file() == null && !Files.isDirectory(directory)) {
      throw new IOException(
          "cannot serve "
              + directory
              + ". Why: it is "
              + (Files.exists(directory) ? "no directory" : "not there")
              + ". Fix: name a directory that exists.");
    }
  }

  /// Sets the source from which [#reload] reads the settings. Without a source, only files,
  /// certificates and plug-ins are reloaded.
  public void configuredBy(Source value) {
    source = value;
  }

  @Override
  public boolean reload(Consumer<String> told) {
    Source from = source;
    try {
      if (from != null) {
        reread(from, told);
      }
    } catch (IOException e) {
      told.accept("the configuration in use stays: " + e.getMessage());
      return false;
    }
    boolean good = true;
    try {
      server.reload();
      told.accept("files, error pages, certificates and logs are read again");
    } catch (IOException e) {
      told.accept(String.valueOf(e.getMessage()));
      good = false;
    }
    return plugins.reload(told) && good;
  }

  /// Replaces all sites with the sites of a file. If the file is not valid, no site is replaced.
  private void reread(Source from, Consumer<String> told) throws IOException {
    SiteFile before = options.file();
    if (before == null) {
      return;
    }
    try {
      SiteOptions next = from.read();
      SiteFile file = Objects.requireNonNull(next.file());
      file.requireSameServer(before);
      HttpConfig config = next.config(List.of());
      server.replaceSites(config);
      told.accept("configuration loaded again from " + file.path() + ": " + sites(config));
    } catch (UsageException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /// Returns a description of the number of sites.
  public static String sites(HttpConfig config) {
    int sites = config.hosts().size() + (config.namedOnly() ? 0 : 1);
    return sites + (sites == 1 ? " site" : " sites");
  }

  /// Returns the HTTP server.
  public HttpServer http() {
    return server;
  }

  @Override
  public String name() {
    return "site";
  }

  @Override
  public String describe() {
    return "serve "
        + directory.toAbsolutePath().normalize()
        + " on "
        + url(server.scheme(0), server.server().addresses().get(0))
        + " ("
        + server.server().engine().backend()
        + ")";
  }

  @Override
  public int loops() {
    return server.server().loops().size();
  }

  @Override
  public Map<String, ControlSocket.Action> publishTo(Counters counters, String prefix) {
    server.publishTo(new CounterPublisher(counters, prefix));
    return plugins.publishTo(counters);
  }

  @Override
  public List<String> stuck(Duration within) throws InterruptedException {
    return server.server().stuckLoops(within);
  }

  /// Returns the health of the server itself, as it is reported by `/healthz`.
  @Override
  public PartHealth health(Duration within) throws InterruptedException {
    List<String> troubles = server.troubles();
    PartHealth.State state =
        troubles.isEmpty()
            ? PartHealth.State.READY
            : ending ? PartHealth.State.DRAINING : PartHealth.State.DEGRADED;
    return new PartHealth(name(), state, troubles);
  }

  @Override
  public void drain(String why, Duration atMost, Consumer<String> told) {
    ending = true;
    if (!server.drain(atMost)) {
      told.accept("the time was over before every connection had ended; the rest was cut off");
    }
  }

  @Override
  public boolean awaitEnd() {
    Uninterrupted.await(server.server()::awaitEnd);
    return ending;
  }

  @Override
  public void close() {
    ending = true;
    server.close();
    plugins.close();
  }

  /// Returns the address of a listening socket as a URL.
  public static String url(String scheme, SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      return "unix:" + address;
    }
    String host = inet.getAddress().getHostAddress();
    String bracketed = host.contains(":") ? "[" + host + "]" : host;
    return scheme + "://" + bracketed + ":" + inet.getPort() + "/";
  }
}
