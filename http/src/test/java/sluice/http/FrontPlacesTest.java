package sluice.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.http.front.FrontApplication;
import sluice.http.front.FrontLink;
import sluice.http.front.FrontSettings;
import sluice.http.front.FrontedConnection;
import sluice.http.site.Site;
import sluice.loop.LoopConfig;
import sluice.loop.engine.Backend;
import sluice.loop.server.Engines;
import sluice.loop.server.ServerConfig;
import sluice.memory.View;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.testbase.Await;

/// Which connections a front closes for new clients when all places are taken: those between two
/// requests of HTTP. Otherwise new clients wait.
@Timeout(240)
final class FrontPlacesTest {
  private static final int PLACES = 4;

  @TempDir Path root = Path.of(".");
  private final Application application = new Application();
  private final List<Socket> clients = new ArrayList<>();
  private @Nullable FrontServer front;
  private int listening = -1;

  /// Answers each request at once, changes the protocol for `/chat`, and owes the reply to `/slow`.
  private static final class Application implements FrontApplication {
    final Set<Link> links = ConcurrentHashMap.newKeySet();

    @Override
    public @Nullable FrontLink connected(FrontedConnection connection) {
      Link link = new Link(this, connection, connection.duplicate());
      links.add(link);
      return link;
    }

    @Override
    public void secured() {}

    @Override
    public void told() {}
  }

  private static final class Link implements FrontLink {
    private final Application application;
    private final FrontedConnection connection;
    private final int fd;
    volatile boolean wasReset;

    Link(Application application, FrontedConnection connection, int fd) {
      this.application = application;
      this.connection = connection;
      this.fd = fd;
    }

    @Override
    public boolean received(View view, int from, int to) {
      byte[] bytes = new byte[to - from];
      view.copyTo(from, bytes, 0, bytes.length);
      String text = new String(bytes, ISO_8859_1);
      if (text.startsWith("GET /chat ")) {
        send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\n");
      } else if (!text.startsWith("GET /slow ")) {
        send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      }
      return true;
    }

    private void send(String text) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment segment = arena.allocateFrom(text, ISO_8859_1);
        int _ = connection.send(fd, segment, 0, text.length());
      }
    }

    @Override
    public boolean holdsUnread() {
      return false;
    }

    @Override
    public void ended() {
      close();
    }

    @Override
    public void reset() {
      wasReset = true;
      close();
    }

    private void close() {
      if (application.links.remove(this)) {
        sluice.sys.Files.close(fd);
        connection.closed(false);
      }
    }
  }

  private int start(Backend backend) throws IOException {
    try {
      Engines.choose(backend);
    } catch (IOException e) {
      abort("no " + backend + " here: " + e.getMessage());
    }
    Files.writeString(root.resolve("a.txt"), "a file");
    ServerConfig own =
        ServerConfig.onLoopback("front", 0)
            .withBackend(backend)
            .withLoop(LoopConfig.DEFAULT.withMaxConnections(PLACES));
    FrontServer started =
        FrontServer.start(HttpConfig.of(own, Site.of(root)), FrontSettings.DEFAULT, line -> {});
    front = started;
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    listening = Sockets.socket(SocketAddresses.family(any), Sockets.SOCK_STREAM, 0);
    Sockets.bind(listening, any);
    Sockets.listen(listening, 128);
    FrontServer.Listening _ = started.listen(listening, application);
    return Sockets.getsockname(listening) instanceof InetSocketAddress inet ? inet.getPort() : -1;
  }

  @AfterEach
  void close() throws IOException {
    for (Socket each : clients) {
      each.close();
    }
    if (front != null) {
      front.loop().stop();
      assertThat(front.loop().counters().handlerFailures()).isZero();
      sluice.sys.Files.close(listening);
    }
  }

  private Socket asking(int port, String target) throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
    client.setSoTimeout(20_000);
    clients.add(client);
    ask(client, target);
    return client;
  }

  private static void ask(Socket client, String target) throws IOException {
    String upgrade = target.equals("/chat") ? "Upgrade: chat\r\nConnection: Upgrade\r\n" : "";
    String text = "GET " + target + " HTTP/1.1\r\nHost: x\r\n" + upgrade + "\r\n";
    client.getOutputStream().write(text.getBytes(ISO_8859_1));
  }

  private static String answer(Socket client) throws IOException {
    byte[] bytes = new byte[8192];
    int count = client.getInputStream().read(bytes);
    return count < 0 ? "" : new String(bytes, 0, count, ISO_8859_1);
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void theLongestBetweenTwoRequestsGoesAndTheApplicationSeesItsEnd(Backend backend)
      throws Exception {
    int port = start(backend);
    Socket owed = asking(port, "/slow");
    Socket changed = asking(port, "/chat");
    assertThat(answer(changed)).startsWith("HTTP/1.1 101 ");
    for (int i = 0; i < 20; i++) {
      String target = i % 3 == 2 ? "/a.txt" : "/dynamic";
      assertThat(answer(asking(port, target))).as(target).startsWith("HTTP/1.1 200 ");
    }
    assertThat(answer(clients.get(2))).as("the first of them").isEmpty();
    Await.until("the application has the others alone", () -> application.links.size() <= PLACES);
    assertThat(application.links).noneMatch(each -> each.wasReset);
    ask(changed, "/after the change");
    assertThat(answer(changed)).as("its connection stays").startsWith("HTTP/1.1 200 ");
    owed.setSoTimeout(200);
    assertThatThrownBy(() -> answer(owed)).isInstanceOf(SocketTimeoutException.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void whereNoneMayGoNewClientsWaitUntilOneEnds(Backend backend) throws Exception {
    int port = start(backend);
    for (int i = 0; i < 20; i++) {
      Socket client = asking(port, i % 2 == 0 ? "/slow" : "/chat");
      if (i % 2 == 1 && i < PLACES) {
        assertThat(answer(client)).startsWith("HTTP/1.1 101 ");
      }
    }
    Socket late = asking(port, "/dynamic");
    late.setSoTimeout(300);
    assertThatThrownBy(() -> answer(late)).isInstanceOf(SocketTimeoutException.class);
    assertThat(application.links.size()).isBetween(PLACES, PLACES + 1);
    for (int i = 0; i < 20; i++) {
      clients.get(i).close();
    }
    late.setSoTimeout(60_000);
    assertThat(answer(late)).startsWith("HTTP/1.1 200 ");
  }
}
