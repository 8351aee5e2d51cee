import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// Counts words: a line comes, a number goes. A thread serves each connection.
final class WordServer {
  public static void main(String[] args) throws IOException {
    int port = args.length == 0 ? 7000 : Integer.parseInt(args[0]);
    try (ServerSocket server = new ServerSocket(port)) {
      System.out.println("listening on port " + server.getLocalPort());
      while (true) {
        Socket client = server.accept();
        Thread.ofVirtual().start(() -> serve(client));
      }
    }
  }

  private static void serve(Socket client) {
    try (client) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
      OutputStream out = client.getOutputStream();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int words = line.isBlank() ? 0 : line.strip().split("\\s+").length;
        out.write((words + "\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException gone) {
      System.err.println("a client has gone: " + gone.getMessage());
    }
  }
}
