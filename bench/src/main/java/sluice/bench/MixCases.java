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
import sluice.bench.run.NginxInFront;
import sluice.bench.run.Peers;
import sluice.bench.run.ServerSpec;
import sluice.bench.run.Systems;
import sluice.bench.server.AppServer;
import sluice.bench.server.SelectorServer;
import sluice.testbase.FreePort;

/// The cases of `sluice bench mix`: a site by the popularity of SPECweb99 ([ClassMix]) and an
/// application beside it, served by Tomcat or Jetty alone, with Sluice in front in the same
/// process, and with nginx in front on the same core. Stateless.
final class MixCases {
  private static final int CONNECTIONS = 64;

  /// The requests per second of a case with a rate, below the capacity of the slowest system.
  private static final int RATE = 4_000;

  private static final double FILES_OF_MIX = 0.7;
  private static final String ALONE = "alone";
  private static final String NGINX = "nginx";
  private static final List<String> TOMCAT =
      List.of("sluice/owner", "sluice/companion", ALONE, NGINX);

  /// The systems for Jetty, in which several threads take turns to select.
  private static final List<String> JETTY = List.of("sluice/companion", ALONE, NGINX);

  private MixCases() {}

  static List<BenchCase> all() {
    List<BenchCase> cases = new ArrayList<>();
    for (String app : List.of("tomcat", "jetty")) {
      cases.add(of(app, "mix", FILES_OF_MIX, 0));
      cases.add(of(app, "mix at " + RATE / 1000 + "k/s", FILES_OF_MIX, RATE));
      cases.add(of(app, "files", 1, 0));
      cases.add(of(app, "dynamic", 0, 0));
    }
    return cases;
  }

  private static BenchCase of(String app, String what, double files, int rate) {
    String name = app + " " + what;
    return new BenchCase(
        name,
        new Servers(app),
        name.equals("tomcat mix"),
        0,
        0,
        sites -> ClassMix.write(Files.createDirectories(sites.cache().resolve("site-mix"))),
        (server, root, harness) ->
            LoadSpec.http(
                    CONNECTIONS, 1, mix(root, files, harness.workspace().temporary("mix-" + files)))
                .withRate(rate));
  }

  /// Writes the requests of a case.
  ///
  /// @param files their share of all requests
  static Path mix(Path root, double files, Path into) throws IOException {
    RequestMix mix = new RequestMix();
    if (files > 0) {
      ClassMix.forEach(file -> {
        byte[] body = Files.readAllBytes(root.resolve(file.path()));
        byte[] request = HttpProbe.request("/" + file.path());
        mix.add(files * file.share(), request, 200, body, "files");
      });
    }
    if (files < 1) {
      byte[] body = SelectorServer.body(AppServer.BODY_BYTES);
      mix.add(1 - files, HttpProbe.request("/dynamic"), 200, body, "dynamic");
    }
    return mix.write(into);
  }

  /// A server alone and behind each of the fronts. The owner mode is set by a flag, since only
  /// Tomcat gets it automatically.
  private record Servers(String app) implements Peers {
    @Override
    public List<String> names() {
      return app.equals("jetty") ? JETTY : TOMCAT;
    }

    @Override
    public ServerSpec spec(Systems systems, String system, Path root) throws IOException {
      boolean front = Systems.isOurs(system);
      List<String> flags =
          new ArrayList<>(SelectorSystems.provider(front ? "sluice/completion" : "jdk-epoll"));
      if (front) {
        flags.add("-Dsluice.nio.static=" + root);
        flags.add("-Dsluice.nio.front=" + system.substring(Systems.OURS.length()));
      }
      int application = FreePort.find();
      int port = application;
      List<String> words = new ArrayList<>();
      words.addAll(List.of(Integer.toString(application), app, root.toString()));
      if (system.equals(NGINX)) {
        port = FreePort.find();
        words.addAll(NginxInFront.command(systems, port, application, root));
      }
      return systems.java(system, flags, "server.AppServer", words, port);
    }
  }
}
