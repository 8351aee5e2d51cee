package sluice.acceptance.servers;

import io.vertx.core.Vertx;
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
    Vertx vertx = Vertx.vertx();
    HttpServerOptions options = new HttpServerOptions().setHost(Launch.HOST).setPort(0);
    if (launch.secure()) {
      options
          .setSsl(true)
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
            .await(30, TimeUnit.SECONDS);
    Launch.ready(server.actualPort(), () -> vertx.close().await(20, TimeUnit.SECONDS));
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
