package sluice.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// An application that listens, as a source file that `java` runs: two zero bytes for each request,
/// at the port that its argument names.
final class PageServer {
  private static final String SOURCE =
      """
      import com.sun.net.httpserver.HttpServer;
      import java.net.InetSocketAddress;

      public class PageServer {
        public static void main(String[] words) throws Exception {
          HttpServer server =
              HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])), 0);
          server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write(new byte[2]);
            exchange.close();
          });
          server.start();
        }
      }
      """;

  private PageServer() {}

  static Path write(Path directory) throws IOException {
    return Files.writeString(directory.resolve("PageServer.java"), SOURCE);
  }
}
