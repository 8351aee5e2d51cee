import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import sluice.isocket.IServerSocket;
import sluice.isocket.ISocket;
import sluice.loop.ForeignInterruptlet;
import sluice.loop.Framing;

/// A server whose interruptlet is written in C: it compiles `handler.c`, and lines that begin with
/// `get ` are answered there, on the bytes where the kernel has put them. All other lines come to
/// ordinary Java code.
///
/// Run: `./sluice example c-handler [PORT]` (needs `cc`)
/// Try: `printf 'get tea\nget tea\nhello\n' | nc -q 1 127.0.0.1 7000`
final class CHandler {
  public static void main(String[] args) throws Exception {
    int port = args.length == 0 ? 7000 : Integer.parseInt(args[0]);
    Path library = compile();
    if (library == null) {
      System.exit(1);
      return;
    }
    ForeignInterruptlet handler = ForeignInterruptlet.of(library, "handle");
    try (IServerSocket server =
        new IServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
      server.admit(handler.name(), Framing.LINES, () -> handler, Duration.ofSeconds(1));
      System.out.println("listening on port " + server.getLocalPort() + ", " + handler.name());
      while (true) {
        ISocket client = server.accept();
        Thread.ofVirtual().start(() -> serve(client));
      }
    }
  }

  /// @return null when it cannot be compiled; the reason was told
  private static Path compile() throws IOException, InterruptedException {
    Path command = Path.of(System.getProperty("sluice.command"));
    Path sources = command.resolveSibling("examples/c-handler");
    Path library = Files.createTempDirectory("sluice-c-handler").resolve("handler.so");
    library.getParent().toFile().deleteOnExit();
    library.toFile().deleteOnExit();
    String source = sources.resolve("handler.c").toString();
    try {
      Process cc =
          new ProcessBuilder("cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source)
              .inheritIO()
              .start();
      if (cc.waitFor() == 0) {
        return library;
      }
      System.err.println("cc could not compile " + source + "; what it says is above");
    } catch (IOException e) {
      System.err.println(
          "this example needs a C compiler. Why: " + e.getMessage() + ". Fix: apt-get install gcc");
    }
    return null;
  }

  private static void serve(ISocket client) {
    try (client) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String reply = "Java says: " + line + "\n";
        client.getOutputStream().write(reply.getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException gone) {
      System.err.println("a client has gone: " + gone.getMessage());
    }
  }
}
