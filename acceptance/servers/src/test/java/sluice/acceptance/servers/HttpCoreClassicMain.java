package sluice.acceptance.servers;

import java.net.InetAddress;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.impl.bootstrap.HttpServer;
import org.apache.hc.core5.http.impl.bootstrap.ServerBootstrap;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;

/// The blocking server of Apache HttpCore: a `ServerSocket`, and a thread for each connection. The
/// main thread of a process calls.
final class HttpCoreClassicMain {
  private HttpCoreClassicMain() {}

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch _ = Launch.of(arguments);
    HttpServer server =
        ServerBootstrap.bootstrap()
            .setLocalAddress(InetAddress.getLoopbackAddress())
            .setListenerPort(0)
            .setRequestRouter((request, context) -> (asked, response, c) -> answer(asked, response))
            .create();
    server.start();
    Launch.ready(
        server.getLocalPort(),
        () -> {
          server.initiateShutdown();
          server.awaitTermination(TimeValue.ofSeconds(10));
          server.close(CloseMode.GRACEFUL);
        });
  }

  private static void answer(ClassicHttpRequest request, ClassicHttpResponse response)
      throws java.io.IOException {
    HttpEntity entity = request.getEntity();
    byte[] body = entity == null ? new byte[0] : EntityUtils.toByteArray(entity);
    byte[] answer = Payload.answer(request.getPath(), body);
    response.setCode(200);
    response.setEntity(new ByteArrayEntity(answer, ContentType.APPLICATION_OCTET_STREAM));
  }
}
