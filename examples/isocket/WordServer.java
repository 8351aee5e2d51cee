import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import sluice.isocket.IServerSocket;
import sluice.isocket.ISocket;
import sluice.isocket.SocketInterruptlet;
import sluice.loop.Framing;

/// Counts words: a line comes, a number goes. A thread serves each connection; an interruptlet
/// answers `ping` before one is there. `before/` has the same server on `java.net`.
///
/// Run: `./sluice example isocket [PORT]`
/// Try: `printf 'ping\none two three\n' | nc -q 1 127.0.0.1 7000`
final class WordServer {
  private static final byte[] PONG = "pong\n".getBytes(StandardCharsets.UTF_8);

  public static void main(String[] args) throws IOException {
    int port = args.length == 0 ? 7000 : Integer.parseInt(args[0]);
    try (IServerSocket server = new IServerSocket(port)) {
      new SocketInterruptlet(server, Framing.LINES, IServerSocket.DEFAULT_LIMIT) {
        @Override
        public byte[] handleInterrupt(byte[] data) {
          return new String(data, StandardCharsets.UTF_8).equals("ping\n") ? PONG : null;
        }
      };
      System.out.println("listening on port " + server.getLocalPort());
      while (true) {
        ISocket client = server.accept();
        Thread.ofVirtual().start(() -> serve(client));
      }
    }
  }

  private static void serve(ISocket client) {
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
