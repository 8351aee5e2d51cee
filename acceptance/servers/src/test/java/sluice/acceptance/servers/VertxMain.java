package sluice.acceptance.servers;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/// Vert.x on its default transport, Netty's NIO. The main thread of a process calls; handlers run
/// in its event loops.
final class VertxMain {
  private VertxMain() {}

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    // It warns of a loop that gets no processor for two seconds.
    VertxOptions busy =
        new VertxOptions()
            .setMaxEventLoopExecuteTime(5)
            .setMaxEventLoopExecuteTimeUnit(TimeUnit.MINUTES);
    Vertx vertx = Vertx.vertx(busy);
    HttpServerOptions options = new HttpServerOptions().setHost(Launch.HOST).setPort(0);
    if (launch.secure()) {
      options
          .setSsl(true)
          .setSslHandshakeTimeout(100) // seconds
          .setKeyCertOptions(
              new PfxOptions()
                  .setPath(launch.requiredKeyStore().toString())
                  .setPassword(Launch.PASSWORD));
    }
    HttpServer server =
        vertx
            .createHttpServer(options)
            .requestHandler(VertxMain::handle)
            .listen()
            .await(100, TimeUnit.SECONDS);
    Launch.ready(server.actualPort(), () -> vertx.close().await(100, TimeUnit.SECONDS));
  }

  private static void handle(HttpServerRequest request) {
    request
        .body()
        .onSuccess(body -> {
          try {
            byte[] answer = Payload.answer(request.path(), body.getBytes());
            request.response().end(Buffer.buffer(answer));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
