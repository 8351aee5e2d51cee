package sluice.nio;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/// A blocking application with a thread for each connection: each reply tells how often it was
/// asked and what is stored, `POST` stores one more. What its replies say beside is the test's
/// matter, by path.
final class CacheableApplication implements AutoCloseable {
  /// Fields of the reply to each path, each line with CRLF; none where it is not named.
  final Map<String, String> fields = new ConcurrentHashMap<>();

  /// Paths whose fields begin with those of a 103, before the final reply.
  final Set<String> interim = ConcurrentHashMap.newKeySet();

  /// Paths whose replies wait, once they are made.
  final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();

  final AtomicInteger asked = new AtomicInteger();
  final AtomicInteger value = new AtomicInteger();
  private final ServerSocketChannel channel;
  private final ServerSocket listening;

  CacheableApplication(SelectorProvider provider) throws IOException {
    channel = provider.openServerSocketChannel();
    channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    listening = channel.socket();
    Thread.ofPlatform().daemon().start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        Thread.ofPlatform().daemon().start(() -> serve(client));
      }
    } catch (IOException closed) {
      return;
    }
  }

  private void serve(Socket client) {
    try (client) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (!line.endsWith(" HTTP/1.1")) {
          continue; // of a body
        }
        String field = in.readLine();
        while (field != null && !field.isEmpty()) {
          field = in.readLine();
        }
        answer(client, line.split(" ", -1));
      }
    } catch (IOException | InterruptedException gone) {
      return;
    }
  }

  private void answer(Socket client, String[] request) throws IOException, InterruptedException {
    int times = asked.incrementAndGet();
    int now = request[0].equals("POST") ? value.incrementAndGet() : value.get();
    String path = request[1];
    String body = times + "#" + now;
    CountDownLatch latch = held.get(path);
    if (latch != null) {
      latch.await();
    }
    String more = fields.getOrDefault(path, "");
    boolean chunked = more.contains("chunked");
    String last = path.startsWith("/404") ? "404 Not Found" : "200 OK";
    String status = interim.contains(path) ? "103 Early Hints" : last;
    String text =
        "HTTP/1.1 "
            + status
            + "\r\n"
            + more
            + (chunked ? "" : "Content-Length: " + body.length() + "\r\n")
            + "\r\n";
    if (!request[0].equals("HEAD")) {
      text += chunked ? "1\r\n" + body.charAt(0) + "\r\n" : body;
      text += chunked ? (body.length() - 1) + "\r\n" + body.substring(1) + "\r\n0\r\n\r\n" : "";
    }
    for (String part : text.split("(?<=\n)", -1)) { // in pieces, as many frameworks write
      client.getOutputStream().write(part.getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
