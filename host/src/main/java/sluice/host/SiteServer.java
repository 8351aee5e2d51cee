package sluice.host;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.host.control.ControlAnswer;
import sluice.host.control.ControlSocket;
import sluice.host.file.UsageException;
import sluice.host.life.Lifecycle;
import sluice.host.life.ServiceManager;
import sluice.host.plugin.Plugins;
import sluice.host.site.SiteFile;
import sluice.host.site.SiteOptions;
import sluice.http.HttpConfig;
import sluice.http.HttpServer;
import sluice.http.handlers.Route;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.Counters;

/// A running server of sites with its plug-ins, counters and control socket. Any thread may call.
///
/// ```java
/// SiteOptions options = SiteOptions.read(Path.of("site.toml"));
/// try (SiteServer server = SiteServer.start(options, System.err::println)) {
///   server.awaitEnd();
/// }
/// ```
public final class SiteServer implements AutoCloseable {
  /// The request of `sluice reload`.
  public static final String RELOAD = "reload";

  /// Reads the settings again, from where they came.
  @FunctionalInterface
  public interface Source {
    /// Reads them.
    ///
    /// @throws UsageException with file, line, why and fix
    SiteOptions read() throws UsageException;
  }

  private final SiteOptions options;
  private final Plugins plugins;
  private final HttpServer server;
  private final ServiceManager manager;
  private final Lifecycle life;
  private final Consumer<String> messages;
  private @Nullable Counters counters;
  private @Nullable ControlSocket control;

  private SiteServer(
      SiteOptions options,
      Plugins plugins,
      HttpServer server,
      ServiceManager manager,
      Consumer<String> messages) {
    this.options = options;
    this.plugins = plugins;
    this.server = server;
    this.manager = manager;
    this.messages = messages;
    life = new Lifecycle(server, plugins::reload, manager, options.drainTimeout(), messages);
  }

  /// Starts to serve.
  ///
  /// @param messages gets one line for each event that a log has, from any thread
  /// @throws UsageException if settings contradict each other
  /// @throws IOException if the server cannot start, with why and fix
  public static SiteServer start(SiteOptions options, Consumer<String> messages)
      throws UsageException, IOException {
    ServiceManager manager =
        new ServiceManager(System.getenv(), ProcessHandle.current().pid(), messages);
    Plugins plugins = Plugins.load(options.plugins(), messages);
    try {
      HttpServer server = serve(options, manager, plugins.routes(), messages);
      return new SiteServer(options, plugins, server, manager, messages);
    } catch (UsageException | IOException | RuntimeException e) {
      plugins.close();
      throw e;
    }
  }

  private static HttpServer serve(
      SiteOptions options, ServiceManager manager, List<Route> routes, Consumer<String> messages)
      throws UsageException, IOException {
    Path directory = options.directory();
    if (options.file() == null && !Files.isDirectory(directory)) {
      throw new IOException(
          "cannot serve "
              + directory
              + ". Why: it is "
              + (Files.exists(directory) ? "no directory" : "not there")
              + ". Fix: name a directory that exists.");
    }
    HttpConfig config = options.config(manager.listeners());
    List<Route> all = new ArrayList<>(config.routes());
    all.addAll(routes);
    return HttpServer.start(config.withRoutes(all), messages);
  }

  /// Has [#reload] read settings again; without it, only files, certificates and plug-ins are.
  public void configuredBy(Source source) {
    life.configuredBy(told -> reread(source, told));
  }

  /// Replaces the sites by those of a file, all or nothing.
  private void reread(Source source, Consumer<String> told) throws IOException {
    SiteFile before = options.file();
    if (before == null) {
      return;
    }
    try {
      SiteOptions next = source.read();
      SiteFile file = Objects.requireNonNull(next.file());
      file.requireSameServer(before);
      HttpConfig config = next.config(List.of());
      server.replaceSites(config);
      told.accept("configuration loaded again from " + file.path() + ": " + sites(config));
    } catch (UsageException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /// Returns how many sites there are, in words.
  public static String sites(HttpConfig config) {
    int sites = config.hosts().size() + (config.namedOnly() ? 0 : 1);
    return sites + (sites == 1 ? " site" : " sites");
  }

  /// Ends the server by TERM and INT, and reloads it by HUP.
  public void listenToSignals() {
    life.listenToSignals();
  }

  /// Opens what other processes see: the counters of `sluice stat` and the socket of `sluice
  /// reload`; tells the service manager that the server is up.
  ///
  /// @throws UsageException if no directory is named
  public void publish() throws UsageException {
    Counters opened = Counters.open(server.server().loops().size());
    counters = opened;
    if (opened.file() == null) {
      messages.accept("sluice stat will not see this server: " + opened.whyNoFile());
    }
    Path directory = options.directory();
    opened.describe(
        "serve "
            + directory.toAbsolutePath().normalize()
            + " on "
            + url(server.scheme(0), server.server().addresses().get(0))
            + " ("
            + server.server().engine().backend()
            + ")");
    server.publishTo(new CounterPublisher(opened));
    Map<String, ControlSocket.Action> actions = new TreeMap<>(plugins.publishTo(opened));
    actions.put(RELOAD, _ -> life.reload());
    control = ControlSocket.open(opened.file(), actions, messages);
    life.ready("serving " + directory + " on " + server.server().addresses());
  }

  /// Returns the server of the sites.
  public HttpServer http() {
    return server;
  }

  /// Reads again what the server was configured from.
  ///
  /// @return what is in use now, and what was refused and stays as it was
  public ControlAnswer reload() {
    return life.reload();
  }

  /// Ends the server when the requests under way are answered, or the drain timeout is over.
  public void drain() {
    life.terminate();
  }

  /// Waits until the server has ended.
  ///
  /// @return false if every loop has died of a failure
  public boolean awaitEnd() {
    return life.awaitEnd();
  }

  /// Ends the server, at once if it still serves, and its plug-ins.
  @Override
  public void close() {
    if (control != null) {
      control.close();
    }
    if (counters != null) {
      counters.close();
    }
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
