package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.front.FrontTimes;
import sluice.nio.front.FrontMode;
import sluice.testbase.Await;

/// Files in front of an application: the files are answered without it, and everything else is its
/// own, in order.
class FrontTest {
  private static final String END = FrontClient.END;
  private static final int BIG = 3 << 20;

  @TempDir Path directory;
  SelectorProvider provider;
  SmallApplication application;

  FrontMode mode() {
    return FrontMode.COMPANION;
  }

  @BeforeEach
  void start() throws Exception {
    Files.writeString(directory.resolve("a.txt"), "file a");
    Files.createDirectory(directory.resolve("css"));
    Files.writeString(directory.resolve("css/site.css"), "body {}");
    Files.write(directory.resolve("big.bin"), new byte[BIG]);
    FrontTimes times =
        new FrontTimes(Duration.ofMillis(100), Duration.ofMillis(300), Duration.ofSeconds(60));
    provider = CompletionProviders.behind(directory, times, mode());
    application = new SmallApplication(provider);
  }

  @AfterEach
  void stop() throws Exception {
    application.close();
  }

  @Test
  void aFileIsAnsweredAndTheApplicationHearsNothing() throws Exception {
    try (FrontClient client = new FrontClient(application.port())) {
      assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
      assertThat(client.get("/css/site.css?v=3").reply()).isEqualTo("200 body {}");
      assertThat(client.get("/big.bin").reply()).isEqualTo("200 " + BIG + " bytes");
      String offer =
          "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk";
      assertThat(client.send("GET /a.txt HTTP/1.1\r\n" + offer + END).reply())
          .isEqualTo("200 file a");
      Thread.sleep(200); // longer than a silent client is kept from it
    }
    assertThat(application.accepted).hasValue(0);
  }

  @Test
  void whatIsNoFileIsTheApplications() throws Exception {
    try (FrontClient client = new FrontClient(application.port())) {
      assertThat(client.get("/api/1").reply()).isEqualTo("200 /api/1#0#0");
      assertThat(client.get("/css/no.css").reply()).isEqualTo("200 /css/no.css#0#0");
      assertThat(client.get("/css").reply()).isEqualTo("200 /css#0#0");
      assertThat(client.get("/").reply()).isEqualTo("200 /#0#0");
      assertThat(client.get("/%zz").reply()).isEqualTo("200 /%zz#0#0");
      assertThat(client.send("DELETE /a.txt HTTP/1.1" + END).reply()).isEqualTo("200 /a.txt#0#0");
      assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
      assertThat(client.get("/chunked").reply()).isEqualTo("200 /chunked#0#0");
      assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
    }
    assertThat(application.accepted).hasValue(1);
    Await.until("the end at the application", () -> application.ended.get() == 1);
  }

  @Test
  void repliesOfAPipelineStayInOrder() throws Exception {
    try (FrontClient client = new FrontClient(application.port())) {
      for (int round = 0; round < 5; round++) {
        StringBuilder text = new StringBuilder();
        String[] paths = {"/slow1", "/a.txt", "/x", "/big.bin", "/slow2", "/chunked", "/a.txt"};
        for (String path : paths) {
          text.append("GET ").append(path).append(" HTTP/1.1").append(END);
        }
        client.send(text.toString());
        for (String path : paths) {
          String expected =
              switch (path) {
                case "/a.txt" -> "file a";
                case "/big.bin" -> BIG + " bytes";
                default -> path + "#0#0";
              };
          assertThat(client.reply()).isEqualTo("200 " + expected);
        }
      }
    }
  }

  @Test
  void requestsCutAnywhereAreUnderstood() throws Exception {
    try (FrontClient client = new FrontClient(application.port())) {
      client.socket.setTcpNoDelay(true);
      String body = "0123456789";
      String text =
          "GET /a.txt HTTP/1.1" + END + "POST /up HTTP/1.1\r\nContent-Length: 10" + END + body;
      for (int cut = 1; cut < text.length(); cut += 7) {
        client.send(text.substring(0, cut));
        Thread.sleep(1);
        client.send(text.substring(cut));
        assertThat(client.reply()).isEqualTo("200 file a");
        assertThat(client.reply()).isEqualTo("200 /up#10#2793719750");
      }
    }
  }

  @Test
  void anUploadLargerThanAllBuffersArrives() throws Exception {
    try (FrontClient client = new FrontClient(application.port())) {
      client.send("POST /up HTTP/1.1\r\nContent-Length: " + BIG + END);
      byte[] bytes = new byte[BIG];
      client.socket.getOutputStream().write(bytes);
      assertThat(client.reply()).startsWith("200 /up#" + BIG + "#");
      assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
    }
  }

  @Test
  void aChangedFileIsSeen() throws Exception {
    try (FrontClient client = new FrontClient(application.port())) {
      assertThat(client.get("/new.txt").reply()).isEqualTo("200 /new.txt#0#0");
      Files.writeString(directory.resolve("new.txt"), "here");
      assertThat(client.get("/new.txt").reply()).isEqualTo("200 here");
      Files.delete(directory.resolve("new.txt"));
      assertThat(client.get("/new.txt").reply()).isEqualTo("200 /new.txt#0#0");
      assertThat(client.get("/made/of/many").reply()).isEqualTo("200 /made/of/many#0#0");
      assertThat(client.get("/made/of/more").reply()).isEqualTo("200 /made/of/more#0#0");
      Files.createDirectories(directory.resolve("made/of"));
      Files.writeString(directory.resolve("made/of/more"), "now");
      assertThat(client.get("/made/of/more").reply()).isEqualTo("200 now");
    }
  }

  @Test
  void aClientThatSaysNothingIsTheApplications() throws Exception {
    try (FrontClient client = new FrontClient(application.port())) {
      Await.until("the connection", () -> application.accepted.get() == 1);
      assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
      assertThat(client.get("/b").reply()).isEqualTo("200 /b#0#0");
    }
  }

  @Test
  void halfAHeadIsTheApplicationsAfterAWhile() throws Exception {
    try (FrontClient client = new FrontClient(application.port())) {
      client.send("GET /a.txt HTT");
      Await.until("the connection", () -> application.accepted.get() == 1);
      client.send("P/1.1" + END);
      assertThat(client.reply()).isEqualTo("200 /a.txt#0#0");
    }
  }

  @Test
  void theEndOfEitherSideIsTheEndOfTheOther() throws Exception {
    try (FrontClient client = new FrontClient(application.port())) {
      assertThat(client.get("/close").reply()).isEqualTo("200 /close#0#0");
      assertThat(client.in.read()).isEqualTo(-1);
    }
    try (FrontClient client = new FrontClient(application.port())) {
      assertThat(client.get("/x").reply()).isEqualTo("200 /x#0#0");
      client.socket.shutdownOutput();
      assertThat(client.in.read()).isEqualTo(-1);
    }
    Await.until("the end at the application", () -> application.ended.get() == 1);
    try (FrontClient client = new FrontClient(application.port())) {
      assertThat(client.get("/x").reply()).isEqualTo("200 /x#0#0");
      String last = "GET /a.txt HTTP/1.1\r\nConnection: close" + END;
      assertThat(client.send(last).reply()).isEqualTo("200 file a");
      assertThat(client.in.read()).isEqualTo(-1);
    }
    Await.until("the end at the application", () -> application.ended.get() == 2);
  }

  @Test
  void aResetIsAReset() throws Exception {
    try (FrontClient client = new FrontClient(application.port())) {
      assertThat(client.get("/x").reply()).isEqualTo("200 /x#0#0");
      client.socket.setSoLinger(true, 0);
    }
    Await.until("the reset", () -> application.reset.get() == 1);
  }

  private static final String UPLOAD =
      "POST /up HTTP/1.1\r\nContent-Length: 90000" + END + "x".repeat(50_000);

  /// The JDK's channels end their output first when a selector has them: a client that is still
  /// sending reads a refusal of its upload, and then the end.
  @Test
  void aSelectedChannelThatClosesWithUnreadBytesEndsBeforeItResets() throws Exception {
    try (FrontClient client = new FrontClient(application.port())) {
      client.send("GET /close HTTP/1.1" + END + UPLOAD);
      assertThat(client.reply()).isEqualTo("200 /close#0#0");
      assertThat(client.in.read()).isEqualTo(-1);
      Await.until("a write that fails", () -> failsToWrite(client));
    }
  }

  private static boolean failsToWrite(FrontClient client) {
    try {
      client.send("x".repeat(40_000));
      return false;
    } catch (IOException reset) {
      return true;
    }
  }

  /// A blocking application that closes with unread bytes resets its client.
  @Test
  void closingWithUnreadBytesResets() throws Exception {
    try (var server = provider.openServerSocketChannel()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Thread thread =
          Thread.ofVirtual()
              .start(() -> {
                try (var channel = server.accept()) {
                  assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(10);
                  String reply = "HTTP/1.1 413 \r\nContent-Length: 0\r\n\r\n";
                  byte[] bytes = reply.getBytes(StandardCharsets.ISO_8859_1);
                  assertThat(channel.write(ByteBuffer.wrap(bytes))).isEqualTo(bytes.length);
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      InetSocketAddress at = (InetSocketAddress) server.getLocalAddress();
      try (FrontClient client = new FrontClient(at.getPort())) {
        client.send(UPLOAD);
        Await.end(thread);
        assertThatThrownBy(client.in::readAllBytes).isInstanceOf(SocketException.class);
      }
    }
  }

  @Test
  void aBlockingServerWorksBehindFilesToo() throws Exception {
    try (var server = provider.openServerSocketChannel()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      ServerSocket listening = server.socket();
      Thread thread =
          Thread.ofVirtual()
              .start(() -> {
                try (Socket socket = listening.accept()) {
                  byte[] head = new byte[200];
                  int n = socket.getInputStream().read(head);
                  byte[] body = Arrays.copyOf(head, n);
                  String reply = "HTTP/1.1 200 OK\r\nContent-Length: " + n + "\r\n\r\n";
                  socket.getOutputStream().write(reply.getBytes(StandardCharsets.ISO_8859_1));
                  socket.getOutputStream().write(body);
                  assertThat(socket.getInputStream().read()).isEqualTo(-1);
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      try (FrontClient client = new FrontClient(listening.getLocalPort())) {
        assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
        assertThat(client.get("/dynamic").reply()).isEqualTo("200 GET /dynamic HTTP/1.1" + END);
        assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
      }
      Await.end(thread);
    }
  }
}
