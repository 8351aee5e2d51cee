package sluice.isocket;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.Framing;
import sluice.loop.HandlerGuard;
import sluice.loop.Interruptlet;
import sluice.loop.engine.Backend;
import sluice.testbase.Await;
import sluice.testkit.sockets.SocketCalls;

/// Tests of interruptlets in front of an `IServerSocket` whose application has a thread per
/// connection. Messages are lines; the interruptlet answers those that begin with `f`.
@Timeout(120)
abstract class InterruptletContract {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  abstract Backend backend();

  private @Nullable ISockets sockets;
  private @Nullable IServerSocket opened;
  private final List<String> seen = new CopyOnWriteArrayList<>();

  @BeforeEach
  void open() throws IOException {
    sockets = ISockets.on(backend());
    opened = sockets.server();
  }

  @AfterEach
  void close() throws IOException {
    if (opened != null) {
      opened.close();
    }
    if (sockets != null) {
      sockets.close();
    }
  }

  private IServerSocket server() {
    return java.util.Objects.requireNonNull(opened);
  }

  /// Serves each connection with a thread that answers lines by `slow: …`.
  private void serve() throws IOException {
    server().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    var _ =
        SocketCalls.start(() -> {
          while (true) {
            ISocket accepted = server().accept();
            var _ = SocketCalls.start(() -> answer(accepted));
          }
        });
  }

  private int answer(ISocket accepted) throws IOException {
    try (accepted) {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(accepted.getInputStream(), ISO_8859_1));
      String line = in.readLine();
      while (line != null) {
        seen.add(line);
        byte[] reply = ("slow: " + line + "\n").getBytes(ISO_8859_1);
        accepted.getOutputStream().write(reply, 0, 3);
        accepted.getOutputStream().write(reply, 3, reply.length - 3);
        line = in.readLine();
      }
    }
    return 0;
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), server().getLocalPort());
  }

  private static String ask(Socket client, String lines, int replies) throws IOException {
    client.getOutputStream().write(lines.getBytes(ISO_8859_1));
    StringBuilder got = new StringBuilder();
    for (int i = 0; i < replies; i++) {
      int c = client.getInputStream().read();
      while (c >= 0 && c != '\n') {
        got.append((char) c);
        c = client.getInputStream().read();
      }
      got.append(';');
    }
    return got.toString();
  }

  /// An interruptlet in the style of the paper.
  private static final class Fast extends SocketInterruptlet {
    private final String says;

    Fast(IServerSocket server, String says) {
      this.says = says;
      super(server, Framing.LINES, LIMIT);
    }

    @Override
    public byte @Nullable [] handleInterrupt(byte[] data) {
      return data[0] == 'f' ? (says + new String(data, ISO_8859_1)).getBytes(ISO_8859_1) : null;
    }
  }

  @Test
  void theConstructorRegistersAndNullIsTheSlowPath() throws Exception {
    try (Fast _ = new Fast(server(), "fast: ")) {
      serve();
      try (Socket client = connect()) {
        assertThat(ask(client, "f1\n", 1)).isEqualTo("fast: f1;");
        assertThat(ask(client, "s2\n", 1)).isEqualTo("slow: s2;");
        assertThat(ask(client, "f3\n", 1)).isEqualTo("fast: f3;");
        assertThat(seen).containsExactly("s2");
      }
    }
  }

  @Test
  void handlersAreReplacedAndUnregisteredWhileAConnectionIsServed() throws Exception {
    Fast first = new Fast(server(), "first: ");
    serve();
    try (Socket client = connect()) {
      assertThat(ask(client, "f1\n", 1)).isEqualTo("first: f1;");
      Fast second = new Fast(server(), "second: ");
      assertThat(ask(client, "f2\n", 1)).isEqualTo("second: f2;");
      first.unregister(); // it is not there any more
      assertThat(ask(client, "f3\n", 1)).isEqualTo("second: f3;");
      second.unregister();
      assertThat(ask(client, "f4\n", 1)).isEqualTo("slow: f4;");
      first.register();
      assertThat(ask(client, "f5\n", 1)).isEqualTo("first: f5;");
    }
  }

  @Test
  void fastRepliesNeverOvertakeOrSplitSlowOnes() throws Exception {
    try (Fast _ = new Fast(server(), "fast: ")) {
      serve();
      long seed = System.nanoTime();
      Random random = new Random(seed);
      try (Socket client = connect()) {
        for (int round = 0; round < 50; round++) {
          StringBuilder lines = new StringBuilder();
          StringBuilder expected = new StringBuilder();
          int count = 1 + random.nextInt(20);
          for (int i = 0; i < count; i++) {
            String line = (random.nextBoolean() ? "f" : "s") + round + "." + i;
            lines.append(line).append('\n');
            expected.append(line.startsWith("f") ? "fast: " : "slow: ").append(line).append(';');
          }
          assertThat(ask(client, lines.toString(), count))
              .as("seed " + seed)
              .isEqualTo(expected.toString());
        }
      }
    }
  }

  @Test
  void connectionsOfAnInterruptletSendAtOnce() throws Exception {
    IServerSocket server = server();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    try (Socket client = connect();
        ISocket accepted = server.accept()) {
      assertThat(client.isConnected()).isTrue();
      assertThat(accepted.getTcpNoDelay()).as("as the JDK's").isFalse();
    }
    try (Fast _ = new Fast(server, "fast: ");
        Socket client = connect()) {
      client.getOutputStream().write("slow\n".getBytes(ISO_8859_1));
      try (ISocket accepted = server.accept()) {
        assertThat(accepted.getTcpNoDelay()).isTrue();
      }
    }
  }

  @Test
  void aMessageInPiecesIsShownWhole() throws Exception {
    try (Fast _ = new Fast(server(), "fast: ")) {
      serve();
      try (Socket client = connect()) {
        client.setTcpNoDelay(true);
        for (char c : "f in piece".toCharArray()) {
          client.getOutputStream().write(c);
        }
        assertThat(ask(client, "s\n", 1)).isEqualTo("fast: f in pieces;");
        assertThat(seen).isEmpty();
      }
    }
  }

  @Test
  void whatIsLeftOfAMessageAtTheEndIsTheApplications() throws Exception {
    try (Fast _ = new Fast(server(), "fast: ")) {
      serve();
      try (Socket client = connect()) {
        client.getOutputStream().write("f unfinished".getBytes(ISO_8859_1));
        client.shutdownOutput();
        assertThat(client.getInputStream().readAllBytes())
            .asString()
            .isEqualTo("slow: f unfinished\n");
      }
    }
  }

  @Test
  void aClientThatIsAnsweredByTheInterruptletAloneIsNotAccepted() throws Exception {
    try (Fast _ = new Fast(server(), "fast: ")) {
      server().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (Socket client = connect()) {
        assertThat(ask(client, "f1\n", 1)).isEqualTo("fast: f1;");
        client.shutdownOutput();
        assertThat(client.getInputStream().read()).isEqualTo(-1);
      }
      server().setSoTimeout(1);
      try (ISocket unexpected = server().accept()) {
        throw new AssertionError("accepted " + unexpected);
      } catch (java.net.SocketTimeoutException none) {
        assertThat(none).hasMessage("Accept timed out");
      }
    }
  }

  @Test
  void aSilentClientIsAcceptedSoThatTheServerCanSpeakFirst() throws Exception {
    try (Fast _ = new Fast(server(), "fast: ")) {
      server().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (Socket client = connect();
          ISocket accepted = server().accept()) {
        accepted.getOutputStream().write("hello\n".getBytes(ISO_8859_1));
        assertThat(ask(client, "", 1)).isEqualTo("hello;");
      }
    }
  }

  @Test
  void aViewHandlerAnswersWithoutArrays() throws Exception {
    HandlerGuard guard =
        server()
            .admit(
                "echo",
                Framing.LINES,
                () ->
                    (message, reply) -> {
                      if (message.get(0) != 'f') {
                        reply.put((byte) 'x'); // is forgotten
                        return Interruptlet.PASS;
                      }
                      reply.append(message, 0, message.length());
                      return Interruptlet.DONE;
                    },
                LIMIT);
    serve();
    try (Socket client = connect()) {
      assertThat(ask(client, "f1\nf2\ns3\nf4\n", 4)).isEqualTo("f1;f2;slow: s3;f4;");
      assertThat(guard.times().count()).isGreaterThanOrEqualTo(4);
      assertThat(guard.times().firstNanos()).isPositive();
    }
  }

  @Test
  void bytesAreCounted() throws Exception {
    try (Fast _ = new Fast(server(), "fast: ")) {
      serve();
      try (Socket client = connect()) {
        assertThat(ask(client, "f1\ns2\n", 2)).isEqualTo("fast: f1;slow: s2;");
        assertThat(server().receivedBytes()).isEqualTo(6);
        Await.until("both replies are counted", () -> server().sentBytes() == 18);
      }
    }
  }

  @Test
  void aHandlerThatFailsLosesItsConnectionAndNoOther() throws Exception {
    server()
        .admit(
            "failing",
            Framing.LINES,
            () ->
                (message, reply) -> {
                  if (message.get(0) == 'b') {
                    throw new IllegalStateException("for the test");
                  }
                  return Interruptlet.PASS;
                },
            LIMIT);
    serve();
    try (Socket good = connect();
        Socket bad = connect()) {
      assertThat(ask(good, "s1\n", 1)).isEqualTo("slow: s1;");
      bad.getOutputStream().write("bad\n".getBytes(ISO_8859_1));
      bad.setSoTimeout((int) Duration.ofSeconds(Await.SECONDS).toMillis());
      assertThat(endOf(bad)).isTrue();
      assertThat(ask(good, "s2\n", 1)).isEqualTo("slow: s2;");
    }
  }

  private static boolean endOf(Socket client) throws IOException {
    try {
      return client.getInputStream().read() < 0;
    } catch (java.net.SocketTimeoutException e) {
      return false;
    } catch (java.net.SocketException reset) {
      return true;
    }
  }

  @Test
  void aHandlerThatOverrunsIsDisabled() throws Exception {
    HandlerGuard guard =
        server()
            .admit(
                "slow",
                Framing.LINES,
                () ->
                    (message, reply) -> {
                      HandlerGuard mine = seenGuard;
                      Await.until("it is seen to overrun", () -> overran(mine));
                      return Interruptlet.PASS;
                    },
                Duration.ofMillis(1));
    seenGuard = guard;
    serve();
    try (Socket client = connect()) {
      assertThat(ask(client, "f1\n", 1)).isEqualTo("slow: f1;");
      assertThat(guard.disabled()).isTrue();
      assertThat(ask(client, "f2\n", 1)).isEqualTo("slow: f2;");
    }
  }

  private volatile @Nullable HandlerGuard seenGuard;

  private boolean overran(@Nullable HandlerGuard guard) {
    return guard != null
        && java.util.Objects.requireNonNull(sockets).loop.watchdog().overruns() > 0;
  }

  @Test
  void admittingWithASampleWarmsBefore() throws Exception {
    List<Boolean> admitted = new CopyOnWriteArrayList<>();
    AtomicLong runs = new AtomicLong();
    HandlerGuard guard =
        server()
            .admit(
                "warmed",
                Framing.LINES,
                () -> {
                  admitted.add(server().isBound());
                  return (message, reply) -> {
                    runs.incrementAndGet();
                    reply.put("fast\n".getBytes(ISO_8859_1));
                    return Interruptlet.DONE;
                  };
                },
                LIMIT,
                "f sample\n".getBytes(ISO_8859_1));
    assertThat(admitted).as("made before anything listened").containsExactly(false);
    long warming = runs.get();
    assertThat(warming).isGreaterThan(100);
    assertThat(guard.times().count()).as("runs for clients").isZero();
    serve();
    try (Socket client = connect()) {
      assertThat(ask(client, "f1\n", 1)).isEqualTo("fast;");
    }
    assertThat(runs.get()).isEqualTo(warming + 1);
    assertThat(guard.times().firstNanos()).isPositive();
    assertThatThrownBy(() ->
            server()
                .admit(
                    "no message",
                    Framing.LINES,
                    () -> (message, reply) -> Interruptlet.PASS,
                    LIMIT,
                    "no end".getBytes(ISO_8859_1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Fix: give a whole message");
  }

  @Test
  void warmingRunsTheHandlerAndTellsTheFirstRun() throws Exception {
    try (Fast fast = new Fast(server(), "fast: ")) {
      var report = fast.warmUp("f sample\n".getBytes(ISO_8859_1));
      assertThat(report.runs()).isPositive();
      assertThat(report.firstNanos()).isPositive();
      assertThat(report.toString()).startsWith("first run ");
    }
  }
}
