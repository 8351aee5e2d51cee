package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import sluice.loop.engine.Backend;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.readiness.EpollEngine;
import sluice.loop.readiness.JdkEngine;
import sluice.loop.readiness.PollEngine;
import sluice.loop.server.Server;
import sluice.loop.tls.TlsContext;
import sluice.loop.tls.TlsFiles;
import sluice.loop.uring.IoUringEngine;
import sluice.loop.uring.IoUringSelfTest;
import sluice.testbase.Await;

/// A loop with TLS on one backend, in a thread of its own, and clients for it. Used by the test's
/// thread; [#close] checks that nothing is held.
final class TlsRig implements AutoCloseable {
  /// A client that the machine holds up is no slow reader: sends may be blocked for ten minutes.
  static final LoopConfig CONFIG =
      new LoopConfig(1_000, 64 << 10, 64L << 20, 1 << 20, 600_000_000_000L, 500_000_000L);

  private static final int CHUNKS = 32;
  private static final int TIMEOUT_MILLIS = 60_000;

  final SSLContext clients = TlsFiles.client();
  final TlsTalk talk = new TlsTalk();
  private final CompletableFuture<Loop> ready = new CompletableFuture<>();
  private final CompletableFuture<InetSocketAddress> bound = new CompletableFuture<>();
  private final AtomicLong skippedNanos = new AtomicLong();
  private final Thread thread;
  private volatile @Nullable ChunkArena arena;

  TlsRig(Backend backend, TlsContext context) throws Exception {
    this(backend, context, CONFIG);
  }

  TlsRig(Backend backend, TlsContext context, LoopConfig config) throws Exception {
    thread = Thread.ofPlatform().name("tls-" + backend).start(() -> run(backend, context, config));
    try {
      bound.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Assumptions.abort(backend + " is not to be had here: " + e.getMessage());
    }
  }

  private void run(Backend backend, TlsContext context, LoopConfig config) {
    Engine engine;
    try {
      engine = open(backend);
    } catch (IOException e) {
      bound.completeExceptionally(e);
      return;
    }
    arena = engine.sockets().arena();
    try (Loop loop = new Loop("tls", engine, config, this::nanos, Server.VIRTUAL_THREADS)) {
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      Listener listener = loop.listen(any, ListenOptions.DEFAULT, talk, context);
      ready.complete(loop);
      bound.complete((InetSocketAddress) listener.localAddress());
      loop.run();
    } catch (IOException | RuntimeException | Error e) {
      bound.completeExceptionally(e);
    }
  }

  private long nanos() {
    return System.nanoTime() + skippedNanos.get();
  }

  /// Puts the loop's clock forward.
  void skip(long nanos) {
    skippedNanos.addAndGet(nanos);
    loop().execute(() -> {});
  }

  private static Engine open(Backend backend) throws IOException {
    EngineConfig config = EngineConfig.DEFAULT.withChunks(CHUNKS, 16 << 10);
    return switch (backend) {
      case IO_URING -> {
        IoUringSelfTest.run();
        yield IoUringEngine.open(config);
      }
      case EPOLL -> EpollEngine.open(config);
      case POLL -> PollEngine.open(config);
      case AUTO, JDK -> JdkEngine.open(config);
    };
  }

  private static <T> T of(CompletableFuture<T> future) {
    return future.orTimeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).join();
  }

  Loop loop() {
    return of(ready);
  }

  int port() {
    return of(bound).getPort();
  }

  Socket plain() throws IOException {
    Socket socket = new Socket(of(bound).getAddress(), port());
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }

  /// A client that has shaken hands.
  SSLSocket client(String... protocols) throws IOException {
    SSLSocket socket =
        (SSLSocket) clients.getSocketFactory().createSocket(of(bound).getAddress(), port());
    socket.setSoTimeout(TIMEOUT_MILLIS);
    if (protocols.length > 0) {
      socket.setEnabledProtocols(protocols);
    }
    socket.startHandshake();
    return socket;
  }

  static byte[] message(char letter, int length, byte... body) {
    return ByteBuffer.allocate(TlsTalk.HEADER_BYTES + body.length)
        .put((byte) letter)
        .putInt(length)
        .put(body)
        .array();
  }

  static byte[] echo(byte[] body) {
    return message('E', body.length, body);
  }

  static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 31 + (i >>> 8));
    }
    return bytes;
  }

  /// Writes, and reads the answer.
  static byte[] ask(Socket socket, byte[] message, int answerBytes) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(message);
    out.flush();
    byte[] answer = new byte[answerBytes];
    new DataInputStream(socket.getInputStream()).readFully(answer);
    return answer;
  }

  /// Checks `length` bytes of the pattern.
  static void checkPattern(InputStream in, int length) throws IOException {
    DataInputStream data = new DataInputStream(in);
    byte[] piece = new byte[16 << 10];
    for (int at = 0; at < length; at += piece.length) {
      int some = Math.min(piece.length, length - at);
      data.readFully(piece, 0, some);
      for (int i = 0; i < some; i++) {
        if (piece[i] != TlsTalk.pattern(at + i)) {
          throw new AssertionError("byte " + (at + i) + " of the answer is wrong");
        }
      }
    }
  }

  /// Asks the loop, on its thread.
  <T> T onLoop(Callable<T> question) throws Exception {
    CompletableFuture<T> answer = new CompletableFuture<>();
    loop()
        .execute(() -> {
          try {
            answer.complete(question.call());
          } catch (Exception e) {
            answer.completeExceptionally(e);
          }
        });
    return answer.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }

  void awaitNoConnection() {
    Await.untilAsserted(() -> assertThat(talk.open).as("connections that are left").hasValue(0));
  }

  private int freeChunks() {
    try {
      return onLoop(() -> Objects.requireNonNull(arena).free());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /// Ends the loop; nothing may be left.
  @Override
  public void close() {
    Loop loop = loop();
    try {
      awaitNoConnection();
      Await.untilAsserted(() -> assertThat(loop.heldBytes()).as("bytes held").isZero());
      Await.untilAsserted(() -> assertThat(freeChunks()).as("free chunks").isEqualTo(CHUNKS));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    } finally {
      loop.stop();
    }
    try {
      thread.join(60_000);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    assertThat(thread.isAlive()).as("the loop still runs").isFalse();
    talk.release();
    assertThat(talk.account.usedBytes()).as("leases on the content").isZero();
    assertThat(talk.files.get()).as("open files").isZero();
    assertThat(loop.counters().handlerFailures()).as("failed handlers").isZero();
    assertThat(loop.counters().taskFailures()).as("failed tasks").isZero();
  }
}
