package sluice.http.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.testbase.Await;

/// The ring between a loop and the reader of a body, with each on a thread of its own.
@Timeout(120)
final class StreamedBodyTest {
  private final Semaphore room = new Semaphore(0);

  /// Puts bytes as a feed does, and waits where that would hold its input.
  private void put(StreamedBody body, byte[] bytes, Random sizes) throws InterruptedException {
    View view =
        new ViewBinder(Thread.currentThread()).bind(MemorySegment.ofArray(bytes), 0, bytes.length);
    for (int at = 0; at < bytes.length; ) {
      int free = body.room();
      if (free == 0) {
        assertThat(room.tryAcquire(Await.SECONDS, TimeUnit.SECONDS)).isTrue();
        continue;
      }
      int count = Math.min(Math.min(free, bytes.length - at), 1 + sizes.nextInt(200));
      body.put(view, at, count);
      at += count;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 64, 1000})
  void allThatIsPutIsReadInItsOrder(int ring) throws Exception {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      byte[] sent = new byte[20_000];
      random.nextBytes(sent);
      StreamedBody body = new StreamedBody(ring, room::release);
      try (ExecutorService reader = Executors.newVirtualThreadPerTaskExecutor()) {
        Callable<byte[]> reading = body::readAllBytes;
        Future<byte[]> got = reader.submit(reading);
        put(body, sent, random);
        body.whole();
        assertThat(got.get(Await.SECONDS, TimeUnit.SECONDS)).isEqualTo(sent);
      }
      room.drainPermits();
    }
  }

  @Test
  void severalReadersLoseNothing() throws Exception {
    byte[] sent = new byte[200_000];
    StreamedBody body = new StreamedBody(100, room::release);
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Integer> reading = () -> body.readAllBytes().length;
      Future<Integer> one = readers.submit(reading);
      Future<Integer> other = readers.submit(reading);
      put(body, sent, new Random(1));
      body.whole();
      int sum =
          one.get(Await.SECONDS, TimeUnit.SECONDS) + other.get(Await.SECONDS, TimeUnit.SECONDS);
      assertThat(sum).isEqualTo(sent.length);
    }
  }

  @Test
  void whatWasPutIsReadBeforeItsEndIsTold() throws Exception {
    StreamedBody body = new StreamedBody(100, room::release);
    put(body, new byte[50], new Random(1));
    body.broken(408);
    body.whole(); // known already
    assertThat(body.available()).isEqualTo(50);
    assertThat(body.readNBytes(50)).hasSize(50);
    assertThatThrownBy(body::read)
        .isInstanceOfSatisfying(
            BrokenBodyException.class, e -> assertThat(e.status()).isEqualTo(408));
  }

  @Test
  void anAnsweredRequestHasNoBodyAnyMore() throws Exception {
    StreamedBody body = new StreamedBody(100, room::release);
    put(body, new byte[100], new Random(1));
    assertThat(body.room()).isZero();
    body.over();
    assertThat(body.available()).isZero();
    assertThatThrownBy(body::read).isInstanceOf(IOException.class).hasMessageContaining("answered");
    assertThat(body.room()).isPositive();
    put(body, new byte[1000], new Random(1));
    assertThatThrownBy(body::read).isInstanceOf(IOException.class);
  }

  @Test
  void aReaderThatWaitsIsWokenByEachEnd() throws Exception {
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 300; i++) {
        StreamedBody body = new StreamedBody(100, room::release);
        Callable<Integer> reading = body::read;
        Future<Integer> got = readers.submit(reading);
        if (i % 2 == 0) {
          Await.until("a reader", body::isAwaited);
        }
        switch (i % 5) {
          case 0 -> body.whole();
          case 1 -> body.broken(400);
          case 2 -> body.gone();
          case 3 -> body.over();
          default -> put(body, new byte[] {7}, new Random(1));
        }
        int end = i % 5;
        if (end == 0 || end == 4) {
          assertThat(got.get(Await.SECONDS, TimeUnit.SECONDS)).isEqualTo(end == 0 ? -1 : 7);
        } else {
          assertThatThrownBy(() -> got.get(Await.SECONDS, TimeUnit.SECONDS))
              .hasCauseInstanceOf(IOException.class);
        }
        assertThat(body.isAwaited()).isFalse();
      }
    }
  }

  @Test
  void anInterruptEndsARead() throws Exception {
    StreamedBody body = new StreamedBody(100, room::release);
    Thread reader =
        Thread.ofVirtual()
            .start(() -> assertThatThrownBy(body::read).isInstanceOf(InterruptedIOException.class));
    Await.until("a reader", body::isAwaited);
    reader.interrupt();
    assertThat(reader.join(Duration.ofSeconds(Await.SECONDS))).isTrue();
  }
}
