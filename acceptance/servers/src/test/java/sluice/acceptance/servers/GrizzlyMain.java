package sluice.acceptance.servers;

import java.util.concurrent.TimeUnit;
import org.glassfish.grizzly.http.server.HttpHandler;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.http.server.Request;
import org.glassfish.grizzly.http.server.Response;
import org.glassfish.grizzly.ssl.SSLEngineConfigurator;

/// Grizzly. The main thread of a process calls; handlers run in its pool.
final class GrizzlyMain {
  private GrizzlyMain() {}

  private static final class Answers extends HttpHandler {
    @Override
    public void service(Request request, Response response) throws Exception {
      byte[] body = request.getInputStream().readAllBytes();
      byte[] answer = Payload.answer(request.getRequestURI(), body);
      response.setContentLength(answer.length);
      response.getOutputStream().write(answer);
    }
  }

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    HttpServer server = new HttpServer();
    NetworkListener listener = new NetworkListener("http", Launch.HOST, 0);
    if (launch.secure()) {
      listener.setSecure(true);
      listener.setSSLEngineConfig(
          new SSLEngineConfigurator(launch.context())
              .setClientMode(false)
              .setNeedClientAuth(false));
    }
    server.addListener(listener);
    server.getServerConfiguration().addHttpHandler(new Answers(), "/");
    server.start();
    Launch.ready(
        listener.getPort(), () -> server.shutdown(50, TimeUnit.SECONDS).get(100, TimeUnit.SECONDS));
    // Its threads are daemons.
    Thread.currentThread().join();
  }
}
