import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import sluice.loop.Framing;
import sluice.loop.Interruptlet;
import sluice.loop.Interruptlets;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;

/// A lookup service on a plain socket: one key a line, one value a line. What is known is answered
/// by an interruptlet in the kernel crossing that brought it; what is not goes to ordinary code,
/// which takes its time. Replies keep the order of the keys.
///
/// Run: `./sluice example interruptlet [PORT]`
/// Try: `printf 'apple\napple\nevict\napple\nadmit\napple\n' | nc -q 3 127.0.0.1 7000`
final class CachedLookup {
  private static final Map<String, byte[]> KNOWN = new ConcurrentHashMap<>();
  private static final Interruptlets SOCKET =
      new Interruptlets(Framing.LINES, CachedLookup::lookUp);

  public static void main(String[] args) throws Exception {
    if (args.length > 1 || (args.length == 1 && !args[0].matches("[0-9]{1,5}"))) {
      System.err.println("usage: sluice example interruptlet [PORT]");
      System.exit(2);
    }
    int port = args.length == 0 ? 7000 : Integer.parseInt(args[0]);
    admit();
    try (Server server = Server.start(ServerConfig.onLoopback("lookup", port), SOCKET::protocol)) {
      System.out.println("listening on port " + server.port() + ", " + server.engine().backend());
      server.awaitEnd();
    }
  }

  /// On the loop's thread: never blocks.
  private static Interruptlet known() {
    return (message, reply) -> {
      byte[] value = KNOWN.get(message.latin1(0, message.length() - 1));
      if (value == null) {
        return Interruptlet.PASS;
      }
      reply.put(value);
      return Interruptlet.DONE;
    };
  }

  private static void admit() {
    SOCKET.admit("known keys", CachedLookup::known, Duration.ofMillis(50));
  }

  /// On a virtual thread: may block as long as it likes.
  private static void lookUp(byte[] message, OutputStream reply) throws Exception {
    String key = new String(message, 0, message.length - 1, ISO_8859_1);
    switch (key) {
      case "admit" -> admit();
      case "evict" -> SOCKET.evict();
      case "count" -> {
        String counts = SOCKET.answered() + " fast, " + SOCKET.passed() + " slow\n";
        reply.write(counts.getBytes(ISO_8859_1));
        return;
      }
      default -> Thread.sleep(300); // the database
    }
    byte[] value = (key + " is " + key.length() + " letters long\n").getBytes(ISO_8859_1);
    if (!key.equals("admit") && !key.equals("evict")) {
      KNOWN.putIfAbsent(key, value);
    }
    reply.write(("looked up: " + new String(value, ISO_8859_1)).getBytes(ISO_8859_1));
  }
}
