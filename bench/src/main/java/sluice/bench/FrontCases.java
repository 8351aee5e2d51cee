package sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import sluice.bench.cases.BenchCase;
import sluice.bench.cases.HttpProbe;
import sluice.bench.cases.RequestMix;
import sluice.bench.cases.SelectorSystems;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Peers;
import sluice.bench.run.ServerSpec;
import sluice.bench.run.Sites;
import sluice.bench.run.Systems;
import sluice.bench.server.AppServer;
import sluice.bench.server.SelectorServer;
import sluice.testbase.FreePort;

/// The cases of `sluice bench front`: an unmodified server that answers all requests from memory,
/// alone and behind files with the same bytes as its own replies. Stateless.
final class FrontCases {
  private static final int CONNECTIONS = 64;
  private static final String FILE = "file.txt";

  /// The case in which the front keeps replies of the application.
  private static final String KEPT = "kept replies";

  private static final List<String> NAMES =
      List.of("sluice/owner", "sluice/companion", "jdk-epoll");

  /// The systems for Jetty, in which several threads take turns to select.
  private static final List<String> JETTY = List.of("sluice/companion", "jdk-epoll");

  private FrontCases() {}

  static List<BenchCase> all() {
    List<BenchCase> cases = new ArrayList<>();
    for (String app : List.of("tomcat", "jetty", "httpserver")) {
      cases.add(of(app, "files", 1, 0));
      cases.add(of(app, "dynamic", 0, 1));
      cases.add(of(app, "70% files", 7, 3));
      cases.add(of(app, KEPT, 0, 1));
    }
    return cases;
  }

  private static BenchCase of(String app, String what, int files, int dynamic) {
    return new BenchCase(
        app + " " + what,
        new Servers(app, what.equals(KEPT)),
        app.equals("tomcat"),
        0,
        0,
        FrontCases::site,
        (server, root, harness) -> {
          byte[] body = SelectorServer.body(AppServer.BODY_BYTES);
          RequestMix mix = new RequestMix();
          if (files > 0) {
            mix.add(files, HttpProbe.request("/" + FILE), 200, body);
          }
          if (dynamic > 0) {
            mix.add(dynamic, HttpProbe.request("/dynamic"), 200, body);
          }
          return LoadSpec.http(
              CONNECTIONS, 1, mix.write(harness.workspace().temporary("mix-" + files)));
        });
  }

  private static Path site(Sites sites) throws IOException {
    Path root = Files.createDirectories(sites.cache().resolve("site-front"));
    Files.write(root.resolve(FILE), SelectorServer.body(AppServer.BODY_BYTES));
    return root;
  }

  /// A server alone, and behind files in both modes. The owner mode is set by a flag, since only
  /// Tomcat gets it automatically.
  ///
  /// @param kept true if the front keeps the application's replies
  private record Servers(String app, boolean kept) implements Peers {
    @Override
    public List<String> names() {
      return app.equals("jetty") ? JETTY : NAMES;
    }

    @Override
    public ServerSpec spec(Systems systems, String system, Path root) throws IOException {
      boolean front = system.startsWith(Systems.OURS);
      List<String> flags =
          new ArrayList<>(SelectorSystems.provider(front ? "sluice/completion" : system));
      if (front) {
        flags.add("-Dsluice.nio.static=" + root);
        flags.add("-Dsluice.nio.front=" + system.substring(Systems.OURS.length()));
      }
      if (front && kept) {
        flags.add("-Dsluice.nio.cache=16");
        flags.add("-Dsluice.nio.cache.rules=/dynamic=3600");
      }
      flags.addAll(SelectorCases.flags(app));
      int port = FreePort.find();
      return systems.java(
          system, flags, "server.AppServer", List.of(Integer.toString(port), app), port);
    }
  }
}
