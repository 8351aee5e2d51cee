package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.front.FrontTimes;
import sluice.testbase.Await;

/// How an application behind files ends its connections, where that concerns the files too.
class FrontEndTest {
  private static final int REPLY_BYTES = 200_000;

  @TempDir Path directory;
  private ServerSocketChannel server;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(directory.resolve("a.txt"), "file a");
    FrontTimes times =
        new FrontTimes(Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(60));
    server = CompletionProviders.behind(directory, times).openServerSocketChannel();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  private int port() throws IOException {
    return ((InetSocketAddress) server.getLocalAddress()).getPort();
  }

  /// What an application does with one connection.
  private interface Service {
    void serve(SocketChannel channel) throws IOException;
  }

  private Thread serveOne(Service service) {
    return Thread.ofVirtual()
        .start(() -> {
          try (SocketChannel channel = server.accept()) {
            service.serve(channel);
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }

  private static void reply(SocketChannel to, String body) throws IOException {
    String text = "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
  }

  /// Closing waits in the kernel until all has arrived, but not on the thread that answers files.
  @Test
  void anApplicationThatLingersHoldsUpNoOtherClient() throws Exception {
    Thread serving =
        serveOne(channel -> {
          channel.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 20);
          channel.setOption(StandardSocketOptions.SO_LINGER, 600);
          assertThat(channel.read(ByteBuffer.allocate(1000))).isPositive();
          reply(channel, "x".repeat(REPLY_BYTES));
        });
    try (Socket slow = new Socket()) {
      slow.setReceiveBufferSize(2048);
      slow.connect(server.getLocalAddress());
      String request = "GET /big HTTP/1.1" + FrontClient.END;
      slow.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      Await.end(serving);
      try (FrontClient other = new FrontClient(port())) {
        assertThat(other.get("/a.txt").reply()).isEqualTo("200 file a");
      }
      assertThat(slow.getInputStream().readAllBytes()).hasSizeGreaterThan(REPLY_BYTES);
    }
  }

  /// Of a file that was answered nothing is left to be sent.
  @Test
  void theOutputIsShutBehindAFileToo() throws Exception {
    Thread serving =
        serveOne(channel -> {
          assertThat(channel.read(ByteBuffer.allocate(1000))).isPositive();
          reply(channel, "x");
          assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(1);
          channel.shutdownOutput();
          ByteBuffer rest = ByteBuffer.allocate(1000);
          while (channel.read(rest) >= 0) {
            assertThat(rest.hasRemaining()).isTrue();
          }
          assertThat(rest.position()).isEqualTo(3);
        });
    try (FrontClient client = new FrontClient(port())) {
      assertThat(client.get("/x").reply()).isEqualTo("200 x");
      assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
      client.send("\0");
      assertThat(client.in.read()).isEqualTo(-1);
      client.send("end");
      client.socket.shutdownOutput();
      Await.end(serving);
    }
  }

  /// A reply of the front would find the output shut.
  @Test
  void whatComesAfterTheOutputWasShutIsTheApplicationsAlsoWhereItAsksForAFile() throws Exception {
    ByteBuffer read = ByteBuffer.allocate(1000);
    String file = "GET /a.txt HTTP/1.1" + FrontClient.END;
    Thread serving =
        serveOne(channel -> {
          assertThat(channel.read(ByteBuffer.allocate(1000))).isPositive();
          reply(channel, "x");
          channel.shutdownOutput();
          while (channel.read(read) >= 0) {
            assertThat(read.hasRemaining()).isTrue();
          }
        });
    try (FrontClient client = new FrontClient(port())) {
      assertThat(client.get("/x").reply()).isEqualTo("200 x");
      assertThat(client.in.read()).isEqualTo(-1);
      client.send(file);
      client.socket.shutdownOutput();
      Await.end(serving);
      assertThat(new String(read.array(), 0, read.position(), StandardCharsets.ISO_8859_1))
          .isEqualTo(file);
    }
  }
}
