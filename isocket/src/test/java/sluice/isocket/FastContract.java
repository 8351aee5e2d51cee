package sluice.isocket;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.LoopConfig;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.memory.View;
import sluice.memory.WritableView;
import sluice.testbase.Await;
import sluice.testkit.sockets.SocketCalls;
import sluice.testkit.sockets.SocketPair;

/// Tests of reads and writes without copies and system calls: their leases and their order.
@Timeout(120)
abstract class FastContract {
  abstract Backend backend();

  private @Nullable ISockets opened;

  @BeforeEach
  void open() throws IOException {
    opened = ISockets.on(backend());
  }

  @AfterEach
  void close() {
    if (opened != null) {
      opened.close();
    }
  }

  private ISockets sockets() {
    return requireNonNull(opened);
  }

  private static ISocket fast(java.net.Socket socket) {
    return (ISocket) socket;
  }

  private static void await(ISocket socket, int bytes) throws IOException {
    InputStream in = socket.getInputStream();
    Await.until(bytes + " bytes have come", () -> in.available() >= bytes);
  }

  private static View shown(ISocket socket) throws IOException {
    return requireNonNull(socket.readFast());
  }

  private static String text(View view) {
    return view.latin1(0, view.length());
  }

  @Test
  void aViewShowsWhatHasComeInOrderWithReads() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets())) {
      ISocket socket = fast(pair.accepted());
      assertThat(socket.readFast()).isNull();
      pair.client().getOutputStream().write("abcdef".getBytes(ISO_8859_1));
      await(socket, 6);
      assertThat(socket.getInputStream().readNBytes(2)).asString().isEqualTo("ab");
      assertThat(text(shown(socket))).isEqualTo("cdef");
      pair.client().getOutputStream().write("gh".getBytes(ISO_8859_1));
      await(socket, 2);
      assertThat(socket.getInputStream().readNBytes(2)).asString().isEqualTo("gh");
      assertThat(socket.readFast()).isNull();
      assertThat(sockets().loop.fastReads()).isEqualTo(1);
    }
  }

  @Test
  void aViewEndsWithTheNextOneAndWithTheSocket() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets())) {
      ISocket socket = fast(pair.accepted());
      pair.client().getOutputStream().write(1);
      await(socket, 1);
      View first = shown(socket);
      assertThat(first.get(0)).isEqualTo((byte) 1);
      assertThat(socket.readFast()).isNull();
      assertThatThrownBy(() -> first.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
      pair.client().getOutputStream().write(2);
      await(socket, 1);
      View second = shown(socket);
      assertThatThrownBy(() -> first.get(0))
          .as("the next message is not shown by the view of the one before")
          .isInstanceOf(IndexOutOfBoundsException.class);
      WritableView filled = requireNonNull(socket.writeFast(4));
      filled.set(0, (byte) 7);
      socket.handOver(1);
      WritableView next = requireNonNull(socket.writeFast(4));
      assertThatThrownBy(() -> filled.set(0, (byte) 8))
          .isInstanceOf(IndexOutOfBoundsException.class);
      next.set(0, (byte) 9);
      socket.handOver(1);
      assertThat(pair.client().getInputStream().readNBytes(2)).containsExactly(7, 9);
      socket.close();
      assertThatThrownBy(() -> second.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(socket::readFast)
          .isInstanceOf(SocketException.class)
          .hasMessage("Socket closed");
      assertThatThrownBy(() -> socket.writeFast(1))
          .isInstanceOf(SocketException.class)
          .hasMessage("Socket closed");
    }
  }

  @Test
  void anotherThreadThatClosesEndsBothViews() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets())) {
      ISocket socket = fast(pair.accepted());
      pair.client().getOutputStream().write(new byte[500]);
      await(socket, 500);
      View view = shown(socket);
      WritableView reserved = requireNonNull(socket.writeFast(10));
      SocketCalls.get(
          SocketCalls.start(() -> {
            socket.close();
            return 0;
          }));
      assertThatThrownBy(() -> view.get(0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> reserved.set(0, (byte) 1)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void aViewBelongsToItsThread() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets())) {
      ISocket socket = fast(pair.accepted());
      pair.client().getOutputStream().write(1);
      await(socket, 1);
      View view = shown(socket);
      CompletableFuture<Byte> other = SocketCalls.start(() -> view.get(0));
      assertThat(SocketCalls.failure(other)).isInstanceOf(WrongThreadException.class);
      pair.client().getOutputStream().write(2);
      await(socket, 1);
      assertThat(SocketCalls.get(SocketCalls.start(() -> shown(socket).get(0))))
          .isEqualTo((byte) 2);
      assertThatThrownBy(() -> view.get(0)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void reservationsLeaveInOrderWithWrites() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets())) {
      ISocket socket = fast(pair.client());
      put(socket.writeFast(16), "one ");
      socket.handOver(4);
      socket.getOutputStream().write("two ".getBytes(ISO_8859_1));
      put(socket.writeFast(4), "three");
      assertThatThrownBy(() -> socket.handOver(5)).isInstanceOf(IndexOutOfBoundsException.class);
      put(socket.writeFast(5), "three");
      socket.handOver(5);
      socket.getOutputStream().write(" four".getBytes(ISO_8859_1));
      assertThatThrownBy(() -> socket.handOver(1)).isInstanceOf(IllegalStateException.class);
      socket.shutdownOutput();
      assertThat(pair.accepted().getInputStream().readAllBytes())
          .asString()
          .isEqualTo("one two three four");
      assertThatThrownBy(() -> socket.writeFast(1)).isInstanceOf(SocketException.class);
    }
  }

  private static void put(@Nullable WritableView into, String text) {
    byte[] bytes = text.getBytes(ISO_8859_1);
    WritableView view = requireNonNull(into);
    view.copyFrom(bytes, 0, 0, Math.min(bytes.length, view.length()));
  }

  @Test
  void sizesOutOfRangeAreRefused() throws Exception {
    try (SocketPair pair = SocketPair.of(sockets())) {
      ISocket socket = fast(pair.client());
      assertThatThrownBy(() -> socket.writeFast(0)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> socket.writeFast(65_537))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void withoutChunksToSpareBytesComeByReads() throws Exception {
    byte[] bytes = new byte[400_000];
    new Random(3).nextBytes(bytes);
    try (ISocketLoop small =
        ISocketLoop.start("small", backend(), new EngineConfig(4, 4096, 1024))) {
      byte[] got = readSlowly(small, bytes);
      assertThat(Arrays.equals(got, bytes)).isTrue();
      assertThat(small.leasesRefused()).isPositive();
    }
  }

  /// Reads all bytes, holding a view while the rest arrives.
  private static byte[] readSlowly(ISocketLoop loop, byte[] bytes) throws Exception {
    try (IServerSocket server = new IServerSocket(loop);
        java.net.Socket client = new java.net.Socket()) {
      server.bind(new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0));
      client.connect(server.getLocalSocketAddress());
      ISocket socket = server.accept();
      CompletableFuture<Integer> sent =
          SocketCalls.start(() -> {
            client.getOutputStream().write(bytes);
            client.shutdownOutput();
            return 0;
          });
      ByteArrayOutputStream got = new ByteArrayOutputStream();
      InputStream in = socket.getInputStream();
      byte[] part = new byte[1000];
      while (got.size() < bytes.length) {
        View view = socket.readFast();
        if (view != null) {
          byte[] copy = new byte[view.length()];
          view.copyTo(0, copy, 0, copy.length);
          got.write(copy);
        } else {
          int n = in.read(part);
          assertThat(n).isPositive();
          got.write(part, 0, n);
        }
      }
      assertThat(in.read()).isEqualTo(-1);
      SocketCalls.get(sent);
      socket.close();
      return got.toByteArray();
    }
  }

  @Test
  @SuppressWarnings("try") // the buffer comes back with the close
  void withoutBuffersAReservationIsRefusedAndWritesGoOn() throws Exception {
    try (ISocketLoop poor =
            ISocketLoop.start(
                "poor",
                backend(),
                EngineConfig.DEFAULT,
                LoopConfig.DEFAULT,
                SendPool.BUFFER_BYTES);
        IServerSocket server = new IServerSocket(poor)) {
      server.bind(new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0));
      try (ISocket holder = new ISocket(poor);
          ISocket other = new ISocket(poor)) {
        holder.connect(server.getLocalSocketAddress());
        ISocket _ = server.accept();
        other.connect(server.getLocalSocketAddress());
        ISocket peer = server.accept();
        assertThat(holder.writeFast(100)).isNotNull();
        assertThat(other.writeFast(100)).isNull();
        other.getOutputStream().write(new byte[20_000]);
        assertThat(peer.getInputStream().readNBytes(20_000)).hasSize(20_000);
        holder.close();
        assertThat(other.writeFast(100)).isNotNull();
      }
    }
  }

  @Test
  void mixedAtRandomTheBytesAreTheSame() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] bytes = new byte[1_000_000];
    random.nextBytes(bytes);
    try (SocketPair pair = SocketPair.of(sockets())) {
      CompletableFuture<Integer> sent =
          SocketCalls.start(() -> sendMixed(fast(pair.client()), bytes, new Random(seed + 1)));
      byte[] got = receiveMixed(fast(pair.accepted()), random);
      SocketCalls.get(sent);
      assertThat(Arrays.equals(got, bytes)).as("seed " + seed).isTrue();
    }
  }

  private static int sendMixed(ISocket to, byte[] bytes, Random random) throws IOException {
    int at = 0;
    int refused = 0;
    while (at < bytes.length) {
      int n = Math.min(bytes.length - at, 1 + random.nextInt(1 << random.nextInt(16)));
      WritableView view = random.nextBoolean() ? to.writeFast(n) : null;
      if (view != null) {
        view.copyFrom(bytes, at, 0, n);
        to.handOver(n);
      } else {
        refused++;
        to.getOutputStream().write(bytes, at, n);
      }
      at += n;
    }
    to.shutdownOutput();
    return refused;
  }

  private static byte[] receiveMixed(ISocket from, Random random) throws IOException {
    ByteArrayOutputStream got = new ByteArrayOutputStream();
    InputStream in = from.getInputStream();
    byte[] part = new byte[5000];
    while (true) {
      View view = random.nextBoolean() ? from.readFast() : null;
      if (view != null) {
        byte[] copy = new byte[view.length()];
        view.copyTo(0, copy, 0, copy.length);
        got.write(copy);
      } else {
        int n = in.read(part, 0, 1 + random.nextInt(part.length));
        if (n < 0) {
          return got.toByteArray();
        }
        got.write(part, 0, n);
      }
    }
  }

  @Test
  void buffersComeBack() throws Exception {
    SendPool pool = sockets().loop.sendPool();
    try (SocketPair pair = SocketPair.of(sockets())) {
      ISocket socket = fast(pair.client());
      for (int i = 0; i < 200; i++) {
        WritableView view = socket.writeFast(100);
        if (view != null) {
          socket.handOver(100);
        }
      }
      assertThat(socket.writeFast(1)).satisfiesAnyOf(v -> assertThat(v).isNull(), v -> {});
    }
    Await.until("all buffers are back", () -> pool.freeCount() == pool.count());
  }

  /// Checks connections with both ends on one loop that transfer more than the loop has memory for,
  /// in both directions: output waits for peers to read, and reading must not wait for output.
  @Test
  void peersOfOneLoopThatReadAndWriteDoNotWaitForEachOther() throws Exception {
    int bytes = 3 << 20;
    byte[] sent = new byte[bytes];
    new Random(1).nextBytes(sent);
    try (ISocketLoop small =
        ISocketLoop.start(
            "short of memory",
            backend(),
            EngineConfig.DEFAULT,
            LoopConfig.DEFAULT.withOutputBytes(256 << 10),
            64 << 10)) {
      List<ISocket> ends = new ArrayList<>();
      List<Thread> writers = new ArrayList<>();
      List<CompletableFuture<byte[]>> came = new ArrayList<>();
      try (IServerSocket server = new IServerSocket(small)) {
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        for (int i = 0; i < 8; i++) {
          ISocket client = new ISocket(small);
          client.connect(server.getLocalSocketAddress());
          ends.add(client);
          ends.add(server.accept());
        }
        for (ISocket end : ends) {
          end.setSendBufferSize(16 << 10);
          writers.add(Thread.ofVirtual().unstarted(() -> write(end, sent)));
        }
        writers.forEach(Thread::start);
        for (ISocket end : ends) {
          came.add(CompletableFuture.supplyAsync(() -> readAll(end), Thread::startVirtualThread));
        }
        for (CompletableFuture<byte[]> each : came) {
          assertThat(each.get(60, TimeUnit.SECONDS)).isEqualTo(sent);
        }
        for (Thread writer : writers) {
          Await.end(writer);
        }
      } finally {
        for (ISocket end : ends) {
          end.close();
        }
      }
    }
  }

  private static void write(ISocket to, byte[] bytes) {
    try {
      to.getOutputStream().write(bytes);
      to.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] readAll(ISocket from) {
    try {
      return from.getInputStream().readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
