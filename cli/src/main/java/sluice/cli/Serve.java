package sluice.cli;

import java.io.IOException;
import java.io.PrintStream;
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
import sluice.cli.console.UsageException;
import sluice.cli.control.ControlSocket;
import sluice.cli.domain.Plugins;
import sluice.http.HttpConfig;
import sluice.http.HttpServer;
import sluice.http.handlers.Route;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.Counters;
import sluice.loop.server.Engines;

/// `sluice serve`: a directory over HTTP/1.1. The main thread waits while the loops serve.
///
/// Its own way through the command, without picocli, so that a start is short.
final class Serve {
  /// What is logged by the JDK's default logger: one line and, after it, the stack of what was
  /// thrown. A format that the user has set stays.
  private static final String LOG_FORMAT = "sluice: %5$s%6$s%n";

  private Serve() {}

  /// Serves until a signal ends the process.
  ///
  /// @param words what follows `serve` on the command line
  /// @return the exit code
  static int run(List<String> words, PrintStream out, PrintStream err) {
    try {
      ServeOptions options = ServeOptions.parse(words);
      if (options.help) {
        out.print(ServeOptions.USAGE);
        return 0;
      }
      System.getProperties().putIfAbsent("java.util.logging.SimpleFormatter.format", LOG_FORMAT);
      return serve(options, words, out, err);
    } catch (UsageException e) {
      err.println("sluice serve: " + e.getMessage());
      err.println("'sluice serve --help' lists the options.");
      return 2;
    } catch (IOException e) {
      err.println("sluice: " + (e.getMessage() == null ? e : e.getMessage()));
      if (System.getenv("SLUICE_DEBUG") != null) {
        e.printStackTrace(err);
      }
      return 1;
    }
  }

  private static int serve(
      ServeOptions options, List<String> words, PrintStream out, PrintStream err)
      throws UsageException, IOException {
    ServiceManager manager =
        new ServiceManager(System.getenv(), ProcessHandle.current().pid(), err::println);
    Consumer<String> messages = line -> err.println("sluice: " + line);
    try (Plugins plugins = Plugins.load(options.plugins, messages)) {
      HttpServer server = start(options, manager.listeners(), plugins.routes(), err);
      Lifecycle life =
          new Lifecycle(server, plugins::reload, manager, options.drainTimeout, messages);
      life.configuredBy(told -> reread(options, words, server, told));
      life.listenToSignals();
      announce(server, out);
      Counters counters = count(server, options.directory(), err);
      Map<String, ControlSocket.Action> actions = new TreeMap<>(plugins.publishTo(counters));
      actions.put(ReloadCommand.RELOAD, _ -> life.reload());
      boolean asked;
      try (ControlSocket _ = ControlSocket.open(counters.file(), actions, messages)) {
        life.ready("serving " + options.directory() + " on " + server.server().addresses());
        ResidentMemory.watch();
        asked = life.awaitEnd();
      }
      counters.close();
      if (asked) {
        return 0;
      }
      err.println("sluice: every loop has died; see above");
      return 1;
    }
  }

  /// Starts the server.
  ///
  /// @param sockets that listen already
  /// @param routes beside those that the options name
  static HttpServer start(
      ServeOptions options, List<PassedSocket> sockets, List<Route> routes, PrintStream err)
      throws UsageException, IOException {
    Path directory = options.directory();
    if (options.file == null && !Files.isDirectory(directory)) {
      throw new IOException(
          "cannot serve "
              + directory
              + ". Why: it is "
              + (Files.exists(directory) ? "no directory" : "not there")
              + ". Fix: name a directory that exists.");
    }
    HttpConfig config = options.config(sockets);
    List<Route> all = new ArrayList<>(config.routes());
    all.addAll(routes);
    return HttpServer.start(config.withRoutes(all), line -> err.println("sluice: " + line));
  }

  /// Reads the configuration file once more, if there is one, and serves what it says: all of it,
  /// or nothing when something is wrong.
  ///
  /// @param messages told when it is served
  /// @throws IOException with file, line, why and fix
  static void reread(
      ServeOptions running, List<String> words, HttpServer server, Consumer<String> messages)
      throws IOException {
    SiteFile before = running.file;
    if (before == null) {
      return;
    }
    try {
      ServeOptions next = ServeOptions.parse(words);
      SiteFile file = Objects.requireNonNull(next.file);
      file.requireSameServer(before);
      HttpConfig config = next.config(List.of());
      server.replaceSites(config);
      messages.accept("configuration loaded again from " + file.path() + ": " + sites(config));
    } catch (UsageException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /// How many sites there are, in words.
  static String sites(HttpConfig config) {
    int sites = config.hosts().size() + (config.namedOnly() ? 0 : 1);
    return sites + (sites == 1 ? " site" : " sites");
  }

  /// Prints where the server listens.
  static void announce(HttpServer server, PrintStream out) {
    Engines.Choice engine = server.server().engine();
    List<SocketAddress> addresses = server.server().addresses();
    for (int i = 0; i < addresses.size(); i++) {
      out.println(
          "listening on "
              + url(server.scheme(i), addresses.get(i))
              + " (backend: "
              + engine.backend()
              + "; "
              + engine.why().replaceAll("\\s*\\R\\s*", ". ")
              + ")");
    }
    for (SocketAddress address : server.redirectAddresses()) {
      out.println("redirecting " + url("http", address) + " to https");
    }
    for (SocketAddress address : server.monitoringAddresses()) {
      String base = url("http", address);
      out.println("monitoring on " + base + "metrics and " + base + "healthz");
    }
    out.flush();
  }

  /// Opens the counters after the first request could be answered: nothing waits for them.
  static Counters count(HttpServer server, Path directory, PrintStream err) {
    Counters counters = Counters.open(server.server().loops().size());
    if (counters.file() == null) {
      err.println("sluice stat will not see this server: " + counters.whyNoFile());
    }
    counters.describe(
        "serve "
            + directory.toAbsolutePath().normalize()
            + " on "
            + url(server.scheme(0), server.server().addresses().get(0))
            + " ("
            + server.server().engine().backend()
            + ")");
    server.publishTo(new CounterPublisher(counters));
    return counters;
  }

  static String url(String scheme, SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      return "unix:" + address;
    }
    String host = inet.getAddress().getHostAddress();
    String bracketed = host.contains(":") ? "[" + host + "]" : host;
    return scheme + "://" + bracketed + ":" + inet.getPort() + "/";
  }
}
