package sluice.bench.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import sluice.http.HttpConfig;
import sluice.http.HttpServer;
import sluice.http.handlers.Route;
import sluice.http.site.Site;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;

/// A server with a handler of the program on the slow path that echoes as [EchoPlugin] does.
public final class TrustedEcho {
  private TrustedEcho() {}

  /// Runs the server. Arguments: `PORT DIRECTORY PREFIX`.
  public static void main(String[] args) throws IOException, InterruptedException {
    ServerConfig config =
        ServerConfig.onLoopback("trusted", Integer.parseInt(args[0]))
            .withLoops(1)
            .withBackend(Backend.parse("io_uring"));
    Route echo =
        Route.at(args[2])
            .withSlowHandler((request, responder) ->
                responder.field("Content-Type", "text/plain").send(request.body()));
    HttpConfig site = HttpConfig.of(config, Site.of(Path.of(args[1])));
    try (HttpServer server = HttpServer.start(site.withRoutes(List.of(echo)), line -> {})) {
      System.out.println("trusted echo on port " + server.server().port());
      server.server().awaitEnd();
    }
  }
}
