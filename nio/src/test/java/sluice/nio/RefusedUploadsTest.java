package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.front.FrontTimes;
import sluice.nio.front.FrontMode;
import sluice.nio.sockets.NioSockets;
import sluice.testbase.Await;
import sluice.testbase.Slice;
import sun.nio.ch.DefaultSelectorProvider;

/// Generated conversations with a blocking server that refuses uploads, on the JDK and with files
/// in front: the client reads the same bytes and then the same end, FIN or reset. `-Dsluice.seed=N`
/// runs one.
class RefusedUploadsTest {
  private static final int CONVERSATIONS = 20_000;
  private static final int CLIENTS = 8;

  /// Around the limits of what waits in front of the application: its stream, the loop's partial
  /// input, a chunk of the arena.
  private static final int[] SIZES = {
    0, 1, 100, 4_095, 4_096, 16_384, 32_767, 32_768, 65_535, 65_536, 65_537, 98_304, 131_072,
    200_000
  };

  /// So many of them are sizes of replies that fit into what a client takes without reading.
  private static final int SHORT_SIZES = 8;

  private static final String CHUNK_LINE = "F4240\r\n";

  @TempDir Path directory;

  /// How the server ends the connection.
  private enum Ending {
    CLOSES,
    CLOSES_ITS_INPUT,
    CLOSES_ITS_OUTPUT,
    SHUTS_OUTPUT_AND_CLOSES,
    SHUTS_OUTPUT_AND_DRAINS,
    SHUTS_INPUT_AND_CLOSES,
    LINGERS_NOT,
    LINGERS
  }

  /// @param fileFirst a file is asked for first, where there is a front
  /// @param before requests that are answered before the upload
  /// @param body bytes of it that the client sends, framed or not as `chunked` says
  /// @param reads bytes of them that the server reads
  /// @param reply bytes of the refusal's body
  /// @param halfCloses the client ends its output behind the upload
  private record Conversation(
      boolean fileFirst,
      int before,
      boolean chunked,
      int body,
      int reads,
      int reply,
      Ending ending,
      boolean halfCloses) {
    String requests() {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < before; i++) {
        text.append("GET /before").append(i).append(" HTTP/1.1").append(FrontClient.END);
      }
      return text.toString();
    }

    String upload() {
      String framing = chunked ? "Transfer-Encoding: chunked" : "Content-Length: 1000000";
      String chunk = chunked && body > 0 ? CHUNK_LINE : "";
      return "POST /up HTTP/1.1\r\n" + framing + FrontClient.END + chunk + "x".repeat(body);
    }
  }

  /// What the client has read, and how it ended.
  ///
  /// @param reset instead of FIN
  private record Seen(String bytes, boolean reset) {}

  /// Opens a listening socket, or the view of a channel.
  private interface Opener {
    ServerSocket open() throws IOException;
  }

  @Test
  void theEndOfASocketIsTheJdks() throws Exception {
    NioSockets fronted = new NioSockets(fronted());
    compare(ServerSocket::new, fronted::server);
  }

  @Test
  void theEndOfAChannelIsTheJdks() throws Exception {
    SelectorProvider jdk = DefaultSelectorProvider.get();
    SelectorProvider fronted = fronted();
    compare(
        () -> jdk.openServerSocketChannel().socket(),
        () -> fronted.openServerSocketChannel().socket());
  }

  private SelectorProvider fronted() throws IOException {
    Files.writeString(directory.resolve("a.txt"), "file a");
    FrontTimes times =
        new FrontTimes(Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(60));
    return CompletionProviders.behind(directory, times, FrontMode.COMPANION);
  }

  private static void compare(Opener jdks, Opener ours) throws Exception {
    Long only = Long.getLong("sluice.seed");
    long[] seeds =
        only == null ? Slice.current().seeds(CONVERSATIONS).toArray() : new long[] {only};
    try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        running.add(
            clients.submit(() -> {
              try (ServerSocket bare = jdks.open();
                  ServerSocket behind = ours.open()) {
                bare.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                behind.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                for (int k = client; k < seeds.length; k += CLIENTS) {
                  compare(bare, behind, seeds[k]);
                }
              }
              return null;
            }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    }
  }

  private static void compare(ServerSocket bare, ServerSocket behind, long seed) throws Exception {
    Conversation conversation = generate(new SplittableRandom(seed));
    try {
      Seen expected = converse(bare, conversation, false);
      assertThat(converse(behind, conversation, true)).isEqualTo(expected);
    } catch (Exception | AssertionError e) {
      throw new AssertionError("-Dsluice.seed=" + seed + ": " + conversation, e);
    }
  }

  private static Conversation generate(SplittableRandom random) {
    int body = SIZES[random.nextInt(SIZES.length)];
    int reads =
        switch (random.nextInt(4)) {
          case 0 -> body;
          case 1 -> random.nextInt(body + 1);
          case 2 -> Math.min(body, SIZES[random.nextInt(SIZES.length)]);
          default -> 0;
        };
    return new Conversation(
        random.nextInt(4) == 0,
        random.nextInt(4),
        random.nextBoolean(),
        body,
        reads,
        SIZES[random.nextInt(SHORT_SIZES)],
        Ending.values()[random.nextInt(Ending.values().length)],
        random.nextInt(4) == 0);
  }

  private static Seen converse(ServerSocket server, Conversation conversation, boolean fronted)
      throws Exception {
    CompletableFuture<?> served = new CompletableFuture<>();
    CountDownLatch sent = new CountDownLatch(1);
    try (Socket client = new Socket()) {
      client.setSendBufferSize(1 << 20); // takes an upload that the server does not read
      client.connect(server.getLocalSocketAddress());
      client.setSoTimeout((int) Duration.ofSeconds(Await.SECONDS).toMillis());
      client.setTcpNoDelay(true);
      if (fronted && conversation.fileFirst) {
        askForFile(client);
      }
      Thread.ofVirtual()
          .start(() -> {
            try {
              serve(server, conversation, sent);
              served.complete(null);
            } catch (Throwable failure) {
              served.completeExceptionally(failure);
            }
          });
      client.getOutputStream().write(latin1(conversation.requests() + conversation.upload()));
      if (conversation.halfCloses) {
        client.shutdownOutput();
      }
      sent.countDown();
      Seen seen = read(client);
      served.get(Await.SECONDS, TimeUnit.SECONDS);
      if (!seen.reset && !conversation.halfCloses) {
        writeUntilRefused(client);
      }
      return seen;
    }
  }

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  // ---- the client -----------------------------------------------------------------------------

  private static void askForFile(Socket client) throws IOException {
    client.getOutputStream().write(latin1("GET /a.txt HTTP/1.1" + FrontClient.END));
    StringBuilder reply = new StringBuilder();
    while (!reply.toString().endsWith("file a")) {
      int b = client.getInputStream().read();
      assertThat(b).isNotNegative();
      reply.append((char) b);
    }
  }

  private static Seen read(Socket client) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    boolean reset = false;
    byte[] buffer = new byte[8192];
    try {
      InputStream in = client.getInputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        bytes.write(buffer, 0, n);
      }
    } catch (SocketException e) {
      reset = true;
    }
    return new Seen(bytes.toString(StandardCharsets.ISO_8859_1), reset);
  }

  /// The server has closed: its kernel answers more bytes by a reset.
  private static void writeUntilRefused(Socket client) {
    Await await = new Await();
    try {
      while (true) {
        client.getOutputStream().write(1);
        await.pause("the reset of a closed connection");
      }
    } catch (IOException refused) {
      assertThat(refused).isInstanceOf(SocketException.class);
    }
  }

  // ---- the server -----------------------------------------------------------------------------

  /// @param sent the client has sent all, so that its end does not depend on when it is closed
  private static void serve(ServerSocket server, Conversation conversation, CountDownLatch sent)
      throws IOException, InterruptedException {
    try (Socket socket = server.accept()) {
      socket.setTcpNoDelay(true);
      InputStream in = socket.getInputStream();
      for (int i = 0; i < conversation.before; i++) {
        readHead(in);
        reply(socket, "200 OK", "" + i);
      }
      readHead(in);
      if (conversation.chunked && conversation.body > 0) {
        assertThat(in.readNBytes(CHUNK_LINE.length())).hasSize(CHUNK_LINE.length());
      }
      assertThat(in.readNBytes(conversation.reads)).hasSize(conversation.reads);
      assertThat(sent.await(Await.SECONDS, TimeUnit.SECONDS)).isTrue();
      int unread = conversation.body - conversation.reads;
      Await.until("unread bytes", () -> unread == 0 || in.available() > 0);
      reply(socket, "413 Content Too Large", "r".repeat(conversation.reply));
      end(socket, conversation, unread);
    }
  }

  private static void readHead(InputStream in) throws IOException {
    int matched = 0;
    while (matched < 4) {
      int b = in.read();
      assertThat(b).isNotNegative();
      matched = b == "\r\n\r\n".charAt(matched) ? matched + 1 : b == '\r' ? 1 : 0;
    }
  }

  private static void reply(Socket socket, String status, String body) throws IOException {
    String head = "HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\n\r\n";
    socket.getOutputStream().write(latin1(head));
    socket.getOutputStream().write(latin1(body));
  }

  private static void end(Socket socket, Conversation conversation, int unread) throws IOException {
    switch (conversation.ending) {
      case CLOSES -> socket.close();
      case CLOSES_ITS_INPUT -> socket.getInputStream().close();
      case CLOSES_ITS_OUTPUT -> socket.getOutputStream().close();
      case SHUTS_OUTPUT_AND_CLOSES -> socket.shutdownOutput();
      case SHUTS_OUTPUT_AND_DRAINS -> {
        socket.shutdownOutput();
        InputStream in = socket.getInputStream();
        assertThat(in.readNBytes(unread)).hasSize(unread);
        if (conversation.halfCloses) {
          assertThat(in.read()).isEqualTo(-1);
        }
      }
      case SHUTS_INPUT_AND_CLOSES -> socket.shutdownInput();
      case LINGERS_NOT -> socket.setSoLinger(true, 0);
      case LINGERS -> socket.setSoLinger(true, 5);
    }
  }
}
