package sluice.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// An application that listens at the port given as its argument and answers each request with two
/// zero bytes. It is a source file that `java` runs.
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
