package sluice.bench.server;

import com.sun.net.httpserver.HttpServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Common Java servers with a handler that answers from memory; Tomcat and Jetty also with files,
/// alone or behind an nginx that serves the files. The handlers run on the servers' own threads.
public final class AppServer {
  public static final int BODY_BYTES = 1 << 10;

  private static final int THREADS = 16;

  /// The index of the directory among the arguments.
  private static final int FILES = 2;

  private AppServer() {}

  /// Runs a server. Arguments: `PORT tomcat|jetty|httpserver [FILES [NGINX …]]`, where `NGINX …` is
  /// a command that is started when the port answers.
  public static void main(String[] args) throws Exception {
    SelectorCheck.require();
    int port = Integer.parseInt(args[0]);
    byte[] body = SelectorServer.body(BODY_BYTES);
    Path files = args.length > FILES ? Path.of(args[FILES]) : null;
    if (args.length > FILES + 1) {
      InFront.startWhenAnswered(port, List.of(args).subList(FILES + 1, args.length));
    }
    if (args[1].equals("tomcat")) {
      TomcatServer.run(port, THREADS, new Fixed(body), files);
      return;
    }
    if (args[1].equals("jetty")) {
      JettyServer.run(port, THREADS, body, files);
      return;
    }
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    HttpServer server = HttpServer.create(address, 4096);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "text/plain");
          exchange.sendResponseHeaders(200, body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    server.start();
  }

  /// Answers every GET with the same bytes.
  private static final class Fixed extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final byte[] body;

    Fixed(byte[] body) {
      this.body = body;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.setContentType("text/plain");
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
    }
  }
}
