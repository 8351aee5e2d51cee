package sluice.acceptance.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.Message;
import org.apache.hc.core5.http.URIScheme;
import org.apache.hc.core5.http.impl.bootstrap.AsyncServerBootstrap;
import org.apache.hc.core5.http.impl.bootstrap.HttpAsyncServer;
import org.apache.hc.core5.http.nio.AsyncRequestConsumer;
import org.apache.hc.core5.http.nio.AsyncServerRequestHandler;
import org.apache.hc.core5.http.nio.entity.AsyncEntityProducers;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityConsumer;
import org.apache.hc.core5.http.nio.ssl.BasicServerTlsStrategy;
import org.apache.hc.core5.http.nio.support.AsyncResponseBuilder;
import org.apache.hc.core5.http.nio.support.BasicRequestConsumer;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.util.TimeValue;

/// Apache HttpCore's asynchronous server. The main thread of a process calls; handlers run in its
/// reactor's threads.
final class HttpCoreMain {
  private HttpCoreMain() {}

  private static final class Answers
      implements AsyncServerRequestHandler<Message<HttpRequest, byte[]>> {
    @Override
    public AsyncRequestConsumer<Message<HttpRequest, byte[]>> prepare(
        HttpRequest request, EntityDetails entity, HttpContext context) {
      return new BasicRequestConsumer<>(entity == null ? null : new BasicAsyncEntityConsumer());
    }

    @Override
    public void handle(
        Message<HttpRequest, byte[]> message, ResponseTrigger trigger, HttpContext context)
        throws HttpException, IOException {
      byte[] body = message.getBody() == null ? new byte[0] : message.getBody();
      byte[] answer = Payload.answer(message.getHead().getPath(), body);
      trigger.submitResponse(
          AsyncResponseBuilder.create(200)
              .setEntity(AsyncEntityProducers.create(answer, ContentType.APPLICATION_OCTET_STREAM))
              .build(),
          context);
    }
  }

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    AsyncServerBootstrap bootstrap =
        AsyncServerBootstrap.bootstrap()
            .setIOReactorConfig(IOReactorConfig.custom().setIoThreadCount(2).build())
            .register("*", new Answers());
    if (launch.secure()) {
      bootstrap.setTlsStrategy(new BasicServerTlsStrategy(launch.context()));
    }
    HttpAsyncServer server = bootstrap.create();
    server.start();
    var endpoint =
        server
            .listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                launch.secure() ? URIScheme.HTTPS : URIScheme.HTTP)
            .get();
    Launch.ready(
        ((InetSocketAddress) endpoint.getAddress()).getPort(),
        () -> {
          server.close(CloseMode.GRACEFUL);
          server.awaitShutdown(TimeValue.ofSeconds(30));
        });
    server.awaitShutdown(TimeValue.MAX_VALUE); // its own threads keep no process alive
  }
}
