package sluice.isocket;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.engine.Backend;
import sluice.loop.server.LoopThreads;

/// Tests of a thread per connection, where all threads are virtual and carried by the isockets'
/// loop.
@Timeout(120)
abstract class LoopThreadsContract {
  abstract Backend backend();

  private @Nullable ISockets sockets;
  private @Nullable IServerSocket opened;
  private @Nullable LoopThreads threads;
  private final Semaphore gate = new Semaphore(0);
  private final BlockingQueue<String> atGate = new LinkedBlockingQueue<>();

  @BeforeEach
  void open() throws IOException {
    ISockets made = ISockets.on(backend());
    sockets = made;
    IServerSocket server = made.server();
    opened = server;
    LoopThreads carried = made.loop.threads();
    threads = carried;
    Assumptions.assumeTrue(carried.carriedByLoop(), "this JVM carries virtual threads itself");
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    carried.execute(() -> {
      try {
        while (true) {
          ISocket accepted = server.accept();
          carried.execute(() -> answer(accepted));
        }
      } catch (IOException closed) {
        gate.release(100);
      }
    });
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

  private void answer(ISocket accepted) {
    try (accepted) {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(accepted.getInputStream(), ISO_8859_1));
      OutputStream out = accepted.getOutputStream();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String reply =
            switch (line) {
              case "where" -> Thread.currentThread().toString();
              case "gate" -> {
                atGate.add(line);
                gate.acquireUninterruptibly();
                yield "passed";
              }
              case "ask" -> {
                try (Socket other = connect()) {
                  yield ask(other, "line");
                }
              }
              default -> line;
            };
        out.write((reply + "\n").getBytes(ISO_8859_1));
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), requireNonNull(opened).getLocalPort());
  }

  private static void say(Socket socket, String line) throws IOException {
    socket.getOutputStream().write((line + "\n").getBytes(ISO_8859_1));
  }

  private static String ask(Socket socket, String line) throws IOException {
    say(socket, line);
    StringBuilder reply = new StringBuilder();
    for (int c = socket.getInputStream().read(); c != '\n'; c = socket.getInputStream().read()) {
      assertThat(c).isNotNegative();
      reply.append((char) c);
    }
    return reply.toString();
  }

  @Test
  void aConnectionThatWaitsHoldsUpNoOther() throws Exception {
    try (Socket waiting = connect();
        Socket other = connect()) {
      assertThat(ask(other, "where")).endsWith("@" + "test-" + backend());
      say(waiting, "gate");
      assertThat(atGate.take()).isEqualTo("gate");
      for (int i = 0; i < 500; i++) {
        assertThat(ask(other, "line " + i)).isEqualTo("line " + i);
      }
      assertThat(ask(other, "ask")).isEqualTo("line");
      gate.release();
      assertThat(ask(waiting, "end")).isEqualTo("passed");
    }
  }

  /// Transfers more than the sockets' buffers hold in both directions, so that threads wait to
  /// write too.
  @Test
  void manyConnectionsWaitToReadAndToWrite() throws Exception {
    String line = "x".repeat(50_000);
    List<Thread> clients = new ArrayList<>();
    BlockingQueue<Integer> came = new LinkedBlockingQueue<>();
    for (int i = 0; i < 8; i++) {
      clients.add(
          Thread.ofPlatform()
              .start(() -> {
                try (Socket client = connect()) {
                  Thread writer = Thread.ofVirtual().start(() -> sayOften(client, line));
                  int all = 40 * (line.length() + 1);
                  came.add(client.getInputStream().readNBytes(all).length);
                  writer.join();
                } catch (IOException | InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    for (Thread client : clients) {
      client.join();
    }
    assertThat(came).hasSize(8).containsOnly(40 * (line.length() + 1));
    assertThat(requireNonNull(threads).carried()).isPositive();
  }

  private static void sayOften(Socket client, String line) {
    try {
      for (int i = 0; i < 40; i++) {
        say(client, line);
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
