package sluice.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.net.SocketAddress;
import java.util.List;
import java.util.function.Consumer;
import sluice.host.Host;
import sluice.host.SiteServer;
import sluice.host.file.UsageException;
import sluice.host.life.ResidentMemory;
import sluice.host.life.ServiceManager;
import sluice.http.HttpServer;
import sluice.loop.server.Engines;

/// Implements the command `sluice serve`, which serves a directory over HTTP/1.1. The main thread
/// waits while the loops serve requests.
///
/// This command does not use picocli, in order to reduce the startup time.
final class Serve {
  /// The format of the JDK's default logger, which is one line followed by the stack trace of an
  /// exception. A format that was set by the user is not changed.
  private static final String LOG_FORMAT = "sluice: %5$s%6$s%n";

  private Serve() {}

  /// Serves requests until the process is stopped by a signal.
  ///
  /// @param words the words that follow `serve` on the command line
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
    Consumer<String> messages = line -> err.println("sluice: " + line);
    ServiceManager manager = ServiceManager.ofProcess(messages);
    SiteServer server = SiteServer.start(options.site, manager.listeners(), messages);
    try (Host host = new Host(List.of(server), manager, messages)) {
      server.configuredBy(() -> ServeOptions.parse(words).site);
      host.drainWithin(options.site.drainTimeout());
      host.listenToSignals(Host.Hangup.RELOADS);
      announce(server.http(), out);
      host.publish(server.describe());
      ResidentMemory.watch();
      return host.awaitEnd() ? 0 : 1;
    }
  }

  /// Prints the addresses on which the server is listening.
  static void announce(HttpServer server, PrintStream out) {
    Engines.Choice engine = server.server().engine();
    List<SocketAddress> addresses = server.server().addresses();
    for (int i = 0; i < addresses.size(); i++) {
      out.println(
          "listening on "
              + SiteServer.url(server.scheme(i), addresses.get(i))
              + " (backend: "
              + engine.backend()
              + "; "
              + engine.why().replaceAll("\\s*\\R\\s*", ". ")
              + ")");
    }
    for (SocketAddress address : server.redirectAddresses()) {
      out.println("redirecting " + SiteServer.url("http", address) + " to https");
    }
    for (SocketAddress address : server.monitoringAddresses()) {
      String base = SiteServer.url("http", address);
      out.println("monitoring on " + base + "metrics and " + base + "healthz");
    }
    out.flush();
  }
}
