package sluice.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Does the same as [PageServer], but with a `ServerSocket` and a thread per connection. It first
/// connects to itself once, and ends if that fails.
final class BlockingPageServer {
  private static final String SOURCE =
      """
      import java.io.*;
      import java.net.*;

      public class BlockingPageServer {
        public static void main(String[] words) throws Exception {
          try (ServerSocket echo = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
              Socket out = new Socket(echo.getInetAddress(), echo.getLocalPort())) {
            out.getOutputStream().write(7);
            try (Socket in = echo.accept()) {
              if (in.getInputStream().read() != 7) {
                throw new IOException("another byte");
              }
            }
          }
          ServerSocket server = new ServerSocket();
          server.bind(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0])));
          while (true) {
            Socket client = server.accept();
            new Thread(() -> serve(client)).start();
          }
        }

        private static void serve(Socket client) {
          try (client) {
            BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream()));
            String line;
            while ((line = in.readLine()) != null) {
              if (line.isEmpty()) {
                String head = "HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n";
                client.getOutputStream().write((head + "\\0\\0").getBytes("ISO-8859-1"));
              }
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      }
      """;

  private BlockingPageServer() {}

  static Path write(Path directory) throws IOException {
    return Files.writeString(directory.resolve("BlockingPageServer.java"), SOURCE);
  }
}
