package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import sluice.testbase.Await;
import sluice.testbase.FreePort;

/// Two connected VIs of one process, and buffers for them. Of the test's thread.
final class VisUnderTest implements AutoCloseable {
  /// Long enough for any machine.
  static final int LONG_MICROS = (int) TimeUnit.SECONDS.toMicros(Await.SECONDS);

  private static final AtomicInteger NUMBER = new AtomicInteger();

  final Nic nic;
  final Vi client;
  final Vi server;
  private final ConcurrentLinkedDeque<ViBuffer> buffers = new ConcurrentLinkedDeque<>();
  private final Threads threads = new Threads();

  private VisUnderTest(Nic nic, Vi client, Vi server) {
    this.nic = nic;
    this.client = client;
    this.server = server;
  }

  /// A place where no other test listens.
  static ViAddress place(Nic nic) {
    if (nic.name().equals("ring")) {
      try {
        return nic.address("127.0.0.1:" + FreePort.find());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    if (nic.name().equals("xdp")) {
      return nic.address("10.9.0.1:" + (7000 + NUMBER.incrementAndGet() % 50_000));
    }
    return nic.address("test-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet());
  }

  /// Sends messages of these lengths to an echoing process and takes them back, then ends it by an
  /// empty one, and finds the connection closed.
  static void exchangeWithEcho(Vi vi, Process peer, int... lengths) throws Exception {
    for (int length : lengths) {
      byte[] sent = pattern(length, length);
      vi.send(sent, 0, length, LONG_MICROS);
      assertThat(vi.recv(LONG_MICROS)).isEqualTo(sent);
    }
    vi.send(new byte[0], 0, 0, LONG_MICROS);
    assertThat(vi.recv(LONG_MICROS)).isEmpty();
    assertThat(Await.end(peer)).isZero();
    assertThatThrownBy(() -> vi.recv(LONG_MICROS))
        .isInstanceOf(ViException.class)
        .hasMessageContaining("closed the connection");
  }

  static VisUnderTest connect(Nic nic, ViAttributes attributes) throws Exception {
    return connect(nic, attributes, null, null);
  }

  /// @param sends of the client, `receives` of the server
  static VisUnderTest connect(
      Nic nic,
      ViAttributes attributes,
      @Nullable ViCompletionQ sends,
      @Nullable ViCompletionQ receives)
      throws Exception {
    ViAddress place = place(nic);
    // Closed in this order: the listener ends an accept that the executor would wait for.
    try (ExecutorService other = Executors.newVirtualThreadPerTaskExecutor();
        ViServer listener = new ViServer(place, 7)) {
      var accepted = other.submit(() -> listener.accept(attributes, null, receives, LONG_MICROS));
      Vi client = new Vi(place, attributes, sends, null, 7);
      return new VisUnderTest(nic, client, accepted.get(Await.SECONDS, TimeUnit.SECONDS));
    }
  }

  /// Virtual threads beside the test's. Closing waits for their end.
  static final class Threads implements AutoCloseable {
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    <T> Future<T> start(Callable<T> task) {
      return executor.submit(task);
    }

    /// Runs something that should fail.
    ///
    /// @return what it threw; null when it did not
    Future<@Nullable Throwable> fault(Callable<?> task) {
      return executor.submit(() -> {
        try {
          var _ = task.call();
          return null;
        } catch (Exception e) {
          return e;
        }
      });
    }

    @Override
    public void close() {
      executor.shutdown();
      try {
        assertThat(executor.awaitTermination(Await.SECONDS, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError("interrupted while closing", e);
      }
    }
  }

  /// Runs something beside the test's thread.
  <T> Future<T> beside(Callable<T> task) {
    return threads.start(task);
  }

  /// As [Threads#fault].
  Future<@Nullable Throwable> fault(Callable<?> task) {
    return threads.fault(task);
  }

  ViBufferTicket buffer(Vi vi, int bytes) throws ViException {
    ViBuffer buffer = new ViBuffer(bytes);
    buffers.add(buffer);
    return buffer.register(vi, ViBufferAttributes.READ_WRITE);
  }

  /// Fills a buffer with bytes that tell their place, and returns them.
  static byte[] fill(ViBufferTicket ticket, int seed) {
    byte[] bytes = pattern(ticket.buffer().sizeBytes(), seed);
    ticket.buffer().bytes().copyFrom(bytes, 0, 0, bytes.length);
    return bytes;
  }

  static byte[] pattern(int length, int seed) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 31 + seed + (i >> 8));
    }
    return bytes;
  }

  static byte[] content(ViBufferTicket ticket, int length) {
    byte[] bytes = new byte[length];
    ticket.buffer().bytes().copyTo(0, bytes, 0, length);
    return bytes;
  }

  @Override
  public void close() {
    client.close();
    server.close();
    threads.close();
    buffers.forEach(ViBuffer::close);
    nic.close();
  }
}
