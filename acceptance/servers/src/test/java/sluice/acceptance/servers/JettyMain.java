package sluice.acceptance.servers;

import java.io.InputStream;
import java.io.OutputStream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/// Jetty's core server. The main thread of a process calls; handlers run in its pool.
final class JettyMain {
  private JettyMain() {}

  private static final class Answers extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      try (InputStream in = Content.Source.asInputStream(request);
          OutputStream out = Content.Sink.asOutputStream(response)) {
        byte[] answer = Payload.answer(request.getHttpURI().getPath(), in.readAllBytes());
        response.getHeaders().put("Content-Length", answer.length);
        out.write(answer);
      }
      callback.succeeded();
      return true;
    }
  }

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    Server server = new Server();
    ServerConnector connector;
    if (launch.secure()) {
      SslContextFactory.Server keys = new SslContextFactory.Server();
      keys.setSslContext(launch.context());
      connector = new ServerConnector(server, keys);
    } else {
      connector = new ServerConnector(server);
    }
    connector.setHost(Launch.HOST);
    connector.setPort(0);
    server.addConnector(connector);
    server.setHandler(new Answers());
    server.start();
    Launch.ready(connector.getLocalPort(), server::stop);
  }
}
