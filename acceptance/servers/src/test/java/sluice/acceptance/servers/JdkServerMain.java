package sluice.acceptance.servers;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// The JDK's own HTTP server. The main thread of a process calls; handlers run in a pool.
final class JdkServerMain {
  private JdkServerMain() {}

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpServer server;
    if (launch.secure()) {
      HttpsServer secure = HttpsServer.create(address, 0);
      secure.setHttpsConfigurator(new HttpsConfigurator(launch.context()));
      server = secure;
    } else {
      server = HttpServer.create(address, 0);
    }
    ExecutorService pool = Executors.newFixedThreadPool(16);
    server.setExecutor(pool);
    server.createContext("/", JdkServerMain::handle);
    server.start();
    Launch.ready(
        server.getAddress().getPort(),
        () -> {
          server.stop(1);
          pool.shutdown();
        });
  }

  private static void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      byte[] answer = Payload.answer(exchange.getRequestURI().getPath(), body);
      exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
      exchange.getResponseBody().write(answer);
    }
  }
}
