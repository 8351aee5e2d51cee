package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import sluice.http.handlers.HttpSlowHandler;
import sluice.http.handlers.Route;
import sluice.http.site.Site;
import sluice.loop.LoopConfig;
import sluice.loop.tls.TlsContext;
import sluice.sys.ResourceLimit;

/// A client that reads slowly gets its whole reply, however many there are and however little
/// memory the loop has: a connection waits for memory, and none ends for want of it.
abstract class HttpContractDownloads extends HttpContractLog {
  private static final int OUTPUT_BYTES = 1 << 20;

  /// Both ends of each connection are in this process, and the rest of it needs some too.
  private static int descriptorsFor(int connections) throws IOException {
    long limit = ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft();
    return (int) Math.min(connections, (limit - 500) / 2);
  }

  private static LoopConfig small(int outputBytes) {
    LoopConfig limits = LoopConfig.DEFAULT;
    return new LoopConfig(
            limits.maxConnections(),
            limits.partialBytesPerConnection(),
            limits.partialBytesPerLoop(),
            64 << 10,
            limits.writeTimeoutNanos(),
            limits.lingerTimeoutNanos())
        .withOutputBytes(outputBytes);
  }

  private void start(LoopConfig limits, List<Route> routes) throws IOException {
    start(
        Site.of(root).withCacheableBytes(64 << 10),
        c -> HttpConfig.of(c.server().withLoop(limits), c.site()).withRoutes(routes));
  }

  /// Lets every client read to the end.
  ///
  /// @return most memory that output has taken
  private long readAll(SlowReaders readers) throws InterruptedException {
    long most = 0;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(200);
    while (!readers.over()) {
      assertThat(System.nanoTime()).as("200 s").isLessThan(end);
      boolean any = readers.round();
      most = Math.max(most, onLoop(loop -> loop.outputBytes()));
      if (!any) {
        Thread.sleep(1);
      }
    }
    return most;
  }

  private void assertNothingCut() throws InterruptedException {
    await(loop -> loop.connectionCount(), 0);
    await(loop -> loop.heldBytes(), 0);
    assertThat(onLoop(loop -> loop.counters().overBudgetConnections())).isZero();
    assertThat(onLoop(loop -> loop.counters().writeTimeouts())).isZero();
    assertThat(onLoop(loop -> loop.counters().cutReplies())).isZero();
  }

  /// As it was reported: of 300 concurrent downloads at a limited rate 44 ended after `200`, with
  /// the `Content-Length` of the whole file and none or some of its bytes.
  @Test
  void ofManySlowDownloadsEachIsComplete() throws Exception {
    byte[] content = pattern(1_200_000, 7);
    write("large.bin", content);
    start(LoopConfig.DEFAULT, List.of());
    try (SlowReaders readers = new SlowReaders(content, 64 << 10)) {
      readers.ask(300, port, "/large.bin");
      await(loop -> loop.counters().shortSends() >= 300 ? 1 : 0, 1); // each has begun, and waits
      readAll(readers);
      assertThat(readers.complete()).isEqualTo(300);
    }
    assertNothingCut();
  }

  @Test
  void moreDownloadsThanTheMemoryHolds() throws Exception {
    downloads(descriptorsFor(2_000), 160_000);
  }

  @Test
  @Tag("acceptance")
  void tenThousandDownloads() throws Exception {
    downloads(descriptorsFor(10_000), 160_000);
  }

  private void downloads(int count, int fileBytes) throws Exception {
    byte[] content = pattern(fileBytes, 5);
    write("large.bin", content);
    start(small(OUTPUT_BYTES), List.of());
    try (SlowReaders readers = new SlowReaders(content, 16 << 10)) {
      readers.ask(count, port, "/large.bin");
      await(loop -> loop.connectionCount(), count);
      assertThat(readAll(readers)).isLessThanOrEqualTo(OUTPUT_BYTES);
      assertThat(readers.complete()).isEqualTo(count);
    }
    assertNothingCut();
  }

  /// What a handler makes is not in a file: its pieces wait with the handler.
  @Test
  void generatedBodiesToo() throws Exception {
    byte[] content = pattern(160_000, 6);
    HttpSlowHandler handler =
        (request, responder) -> {
          try (OutputStream out = responder.stream(content.length)) {
            out.write(content);
          }
        };
    start(small(OUTPUT_BYTES), List.of(Route.at("/made").withSlowHandler(handler)));
    try (SlowReaders readers = new SlowReaders(content, 16 << 10)) {
      readers.ask(200, port, "/made");
      await(loop -> loop.connectionCount(), 200);
      assertThat(readAll(readers)).isLessThanOrEqualTo(OUTPUT_BYTES);
      assertThat(readers.complete()).isEqualTo(200);
    }
    assertThat(onLoop(loop -> loop.counters().outputWaits())).isPositive();
    assertNothingCut();
  }

  /// Ciphertext must be kept until it is sent. One reply of each client is a file that is read, one
  /// is in memory.
  @Test
  void overTlsToo() throws Exception {
    byte[] content = pattern(5 << 20, 8);
    byte[] ready = pattern(60_000, 9);
    write("large.bin", content);
    write("ready.bin", ready);
    TestKeys keys = TestKeys.make(outside);
    TlsContext tls = TlsContext.load(keys.certificate(), keys.key());
    start(
        Site.of(root).withCacheableBytes(64 << 10),
        c -> HttpConfig.of(c.server().withTls(tls).withLoop(small(OUTPUT_BYTES / 2)), c.site()));
    int clients = 24;
    List<SSLSocket> sockets = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < clients; i++) {
        Socket plain = new Socket();
        plain.setReceiveBufferSize(16 << 10);
        plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        plain.setSoTimeout(200_000);
        SSLSocket socket = keys.secure(plain);
        sockets.add(socket);
        String both =
            HttpPeer.text("GET", "/large.bin")
                + HttpPeer.text("GET", "/ready.bin", "Connection: close");
        socket.getOutputStream().write(both.getBytes(StandardCharsets.US_ASCII));
      }
      await(loop -> loop.counters().shortSends() >= clients ? 1 : 0, 1); // each waits
      List<Future<Boolean>> reads = new ArrayList<>();
      for (SSLSocket socket : sockets) {
        reads.add(threads.submit((Callable<Boolean>) () -> readBoth(socket, content, ready)));
      }
      for (Future<Boolean> each : reads) {
        assertThat(each.get(200, TimeUnit.SECONDS)).isTrue();
        assertThat(onLoop(loop -> loop.outputBytes())).isLessThanOrEqualTo(OUTPUT_BYTES);
      }
    } finally {
      for (SSLSocket socket : sockets) {
        socket.close();
      }
    }
    assertNothingCut();
  }

  private static boolean readBoth(SSLSocket socket, byte[] first, byte[] second)
      throws IOException {
    InputStream in = socket.getInputStream();
    for (byte[] expected : List.of(first, second)) {
      assertThat(readHead(in)).startsWith("HTTP/1.1 200 ");
      assertThat(Arrays.equals(in.readNBytes(expected.length), expected)).isTrue();
    }
    return in.read() == -1;
  }

  private static String readHead(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (!head.toString().endsWith("\r\n\r\n")) {
      int next = in.read();
      assertThat(next).as("an end in " + head).isNotNegative();
      head.append((char) next);
    }
    return head.toString();
  }
}
