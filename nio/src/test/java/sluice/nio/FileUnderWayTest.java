package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.http.front.FrontTimes;
import sluice.nio.front.FrontMode;
import sluice.nio.sockets.NioSockets;
import sluice.testbase.Await;
import sun.nio.ch.DefaultSelectorProvider;

/// A blocking server closes a connection while its client has not read a large file. Bare, the
/// server writes the file itself; with files in front, the loop is sending it. Both end in the same
/// way, by FIN alone or by a reset too. A bare server's reset destroys the end of the file; what is
/// in front has sent all of it before.
class FileUnderWayTest {
  private static final int FILE_BYTES = 12 << 20;
  private static final String BIG = "GET /big HTTP/1.1" + FrontClient.END;
  private static final String UPLOAD =
      "POST /up HTTP/1.1\r\nContent-Length: 1000000" + FrontClient.END + "x".repeat(1000);

  @TempDir Path directory;

  /// What the client sends behind the request for the file, and when.
  enum Behind {
    NOTHING,
    BEFORE_THE_CLOSE,
    AFTER_THE_CLOSE
  }

  /// How the server closes.
  enum Ending {
    CLOSES,
    LINGERS_NOT
  }

  /// @param bytes of the reply, its head included
  /// @param reset in place of FIN or behind it
  private record Seen(long bytes, boolean reset) {}

  private record Conversation(Behind behind, Ending ending, boolean fronted) {}

  @ParameterizedTest
  @CsvSource({
    "NOTHING, CLOSES",
    "BEFORE_THE_CLOSE, CLOSES",
    "AFTER_THE_CLOSE, CLOSES",
    "NOTHING, LINGERS_NOT"
  })
  void ofASocket(Behind behind, Ending ending) throws Exception {
    try (ServerSocket bare = new ServerSocket();
        ServerSocket ours = new NioSockets(fronted()).server()) {
      compare(bare, ours, behind, ending);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "NOTHING, CLOSES",
    "BEFORE_THE_CLOSE, CLOSES",
    "AFTER_THE_CLOSE, CLOSES",
    "NOTHING, LINGERS_NOT"
  })
  void ofAChannel(Behind behind, Ending ending) throws Exception {
    SelectorProvider jdk = DefaultSelectorProvider.get();
    try (ServerSocket bare = jdk.openServerSocketChannel().socket();
        ServerSocket ours = fronted().openServerSocketChannel().socket()) {
      compare(bare, ours, behind, ending);
    }
  }

  private SelectorProvider fronted() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(directory.resolve("big").toFile(), "rw")) {
      file.setLength(FILE_BYTES);
    }
    FrontTimes times =
        new FrontTimes(Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(60));
    return CompletionProviders.behind(directory, times, FrontMode.COMPANION);
  }

  private static void compare(ServerSocket bare, ServerSocket ours, Behind behind, Ending ending)
      throws Exception {
    Seen expected = converse(bare, new Conversation(behind, ending, false), false);
    Seen seen = converse(ours, new Conversation(behind, ending, true), expected.reset);
    assertThat(seen.reset).isEqualTo(expected.reset);
    assertThat(seen.bytes).isGreaterThan(FILE_BYTES);
  }

  /// @param awaitsReset the client waits for a reset behind FIN
  private static Seen converse(ServerSocket server, Conversation conversation, boolean awaitsReset)
      throws Exception {
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    CompletableFuture<?> served = new CompletableFuture<>();
    CountDownLatch arrives = new CountDownLatch(1);
    try (Socket client = new Socket()) {
      client.setReceiveBufferSize(64 << 10);
      client.setSoTimeout((int) Duration.ofSeconds(Await.SECONDS).toMillis());
      client.connect(server.getLocalSocketAddress());
      Thread.ofVirtual()
          .start(() -> {
            try {
              serve(server, conversation, arrives);
              served.complete(null);
            } catch (Throwable failure) {
              served.completeExceptionally(failure);
            }
          });
      send(client, "GET /x HTTP/1.1" + FrontClient.END);
      InputStream in = client.getInputStream();
      readHead(in);
      assertThat(in.read()).isEqualTo('x');
      send(client, BIG + (conversation.behind == Behind.BEFORE_THE_CLOSE ? UPLOAD : ""));
      Await.until("the beginning of the file", () -> in.available() > 0);
      arrives.countDown();
      if (conversation.fronted) { // bare it closes when the client has read
        served.get(Await.SECONDS, TimeUnit.SECONDS);
      }
      if (conversation.behind == Behind.AFTER_THE_CLOSE) {
        send(client, UPLOAD);
      }
      Seen seen = read(in);
      served.get(Await.SECONDS, TimeUnit.SECONDS);
      int port = client.getLocalPort();
      if (awaitsReset) {
        Await.until("a reset behind " + seen, () -> isReset(port));
      }
      return new Seen(seen.bytes, seen.reset || isReset(port));
    }
  }

  // ---- the client -----------------------------------------------------------------------------

  private static void send(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static Seen read(InputStream in) throws IOException {
    long bytes = 0;
    byte[] buffer = new byte[64 << 10];
    try {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        bytes += n;
      }
    } catch (SocketException e) {
      return new Seen(bytes, true);
    }
    return new Seen(bytes, false);
  }

  /// After FIN the kernel waits for the end of the client's output; after a reset for nothing.
  private static boolean isReset(int port) throws IOException {
    String local = String.format(":%04X ", port);
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      for (String line : Files.readAllLines(Path.of(table))) {
        int remote = line.indexOf(' ', line.indexOf(':') + 2);
        if (line.substring(0, remote + 1).contains(local)) {
          return false;
        }
      }
    }
    return true;
  }

  private static void readHead(InputStream in) throws IOException {
    int matched = 0;
    while (matched < 4) {
      int b = in.read();
      assertThat(b).isNotNegative();
      matched = b == "\r\n\r\n".charAt(matched) ? matched + 1 : b == '\r' ? 1 : 0;
    }
  }

  // ---- the server -----------------------------------------------------------------------------

  /// @param arrives the file does, at the client
  private static void serve(ServerSocket server, Conversation conversation, CountDownLatch arrives)
      throws IOException, InterruptedException {
    try (Socket socket = server.accept()) {
      InputStream in = socket.getInputStream();
      readHead(in);
      reply(socket, 1, "x".getBytes(StandardCharsets.ISO_8859_1));
      if (!conversation.fronted) {
        readHead(in);
        reply(socket, FILE_BYTES, new byte[FILE_BYTES]);
      }
      assertThat(arrives.await(Await.SECONDS, TimeUnit.SECONDS)).isTrue();
      if (conversation.ending == Ending.LINGERS_NOT) {
        socket.setSoLinger(true, 0);
      }
    }
  }

  private static void reply(Socket socket, int length, byte[] body) throws IOException {
    String head = "HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n";
    socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().write(body);
  }
}
