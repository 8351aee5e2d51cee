package sluice.acceptance.servers;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.Done;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Terminated;
import org.apache.pekko.http.javadsl.ConnectionContext;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;
import org.apache.pekko.http.javadsl.ServerBuilder;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.japi.function.Function;

/// Pekko HTTP, whose actors drop a connection's interest after each read. The main thread of a
/// process calls; handlers run in its dispatcher's threads.
final class PekkoMain {
  private static final long SECONDS = 30;

  /// Its own shutdown hook would race with that of [Launch].
  private static final String SETTINGS =
      """
      pekko.loglevel = WARNING
      pekko.coordinated-shutdown.run-by-jvm-shutdown-hook = off
      pekko.http.server.parsing.max-content-length = 16m
      pekko.http.parsing.max-to-strict-bytes = 16m
      """;

  private PekkoMain() {}

  private static CompletionStage<HttpResponse> answer(HttpRequest request, ActorSystem system) {
    return request
        .entity()
        .toStrict(TimeUnit.SECONDS.toMillis(SECONDS), system)
        .thenApply(entity -> {
          try {
            byte[] body = entity.getData().toArray();
            return HttpResponse.create()
                .withEntity(
                    ContentTypes.APPLICATION_OCTET_STREAM,
                    Payload.answer(request.getUri().path(), body));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    ActorSystem system =
        ActorSystem.create(
            "server", ConfigFactory.parseString(SETTINGS).withFallback(ConfigFactory.load()));
    ServerBuilder builder = Http.get(system).newServerAt(Launch.HOST, 0);
    if (launch.secure()) {
      builder = builder.enableHttps(ConnectionContext.httpsServer(launch.context()));
    }
    Function<HttpRequest, CompletionStage<HttpResponse>> handler =
        request -> answer(request, system);
    ServerBinding binding = builder.bind(handler).toCompletableFuture().get();
    Launch.ready(
        binding.localAddress().getPort(),
        () -> {
          Done _ = binding.unbind().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
          system.terminate();
          Terminated _ =
              system.getWhenTerminated().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        });
  }
}
