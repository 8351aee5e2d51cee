package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.AllocatedBytes;
import sluice.testbase.Await;

/// Views of buffers, and the three ways to be done with one.
@Timeout(240)
final class ViBufferTest {
  /// A record of every primitive type.
  public record Sample(byte a, boolean b, short c, char d, int e, float f, long g, double h) {}

  /// A type that is no row of primitives.
  public record Named(String name) {}

  /// A type that the codec cannot reach.
  private record Hidden(int value) {}

  private static <X extends Exception> void collectUntil(String what, Await.Condition<X> condition)
      throws X {
    Await.until(
        what,
        () -> {
          System.gc();
          return condition.holds();
        });
  }

  @Test
  void viewsShareTheBytes() {
    try (ViBuffer buffer = new ViBuffer(64)) {
      ViBytes bytes = buffer.bytes();
      buffer.ints().set(1, 0x01020304);
      assertThat(bytes.get(4) + bytes.get(5) + bytes.get(6) + bytes.get(7)).isEqualTo(10);
      buffer.longs().set(7, -1L);
      assertThat(bytes.get(63)).isEqualTo((byte) -1);
      buffer.doubles().set(2, 2.5);
      assertThat(buffer.doubles().get(2)).isEqualTo(2.5);
      assertThat(buffer.ints().length()).isEqualTo(16);
      assertThatThrownBy(() -> buffer.ints().get(16)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> buffer.longs().set(-1, 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> bytes.get(64)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> bytes.copyTo(60, new byte[10], 0, 5))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void recordsAreReadAndWrittenInPlace() {
    try (ViBuffer buffer = new ViBuffer(100)) {
      ViRecords<Sample> samples = buffer.records(Sample.class);
      assertThat(samples.recordBytes()).isEqualTo(30);
      assertThat(samples.length()).isEqualTo(3);
      Sample one = new Sample((byte) 1, true, (short) -2, 'x', 3, 4.5f, Long.MIN_VALUE, -0.25);
      Sample two = new Sample((byte) -1, false, (short) 2, 'ü', -3, 0f, 77, Double.MAX_VALUE);
      samples.set(0, one);
      samples.set(2, two);
      assertThat(samples.get(0)).isEqualTo(one);
      assertThat(samples.get(2)).isEqualTo(two);
      assertThat(buffer.bytes().get(0)).isEqualTo((byte) 1);
      assertThatThrownBy(() -> samples.set(3, one)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> buffer.records(Named.class))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("name");
      assertThatThrownBy(() -> buffer.records(Hidden.class))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Fix");
    }
  }

  @Test
  void aClosedBufferEndsItsViews() {
    long before = ViBuffer.usedBytes();
    ViBuffer buffer = new ViBuffer(1000);
    ViBytes bytes = buffer.bytes();
    assertThat(ViBuffer.usedBytes()).isGreaterThanOrEqualTo(before + 1000);
    buffer.close();
    buffer.close();
    assertThatThrownBy(() -> bytes.get(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(buffer::bytes).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> buffer.free(() -> {})).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void detachedViewsKeepACopy() {
    try (ViBuffer buffer = new ViBuffer(100)) {
      ViBytes old = buffer.bytes();
      ViInts oldInts = buffer.ints();
      old.set(5, (byte) 42);
      buffer.detach();
      buffer.bytes().set(5, (byte) 7);
      assertThat(old.get(5)).isEqualTo((byte) 42);
      old.set(6, (byte) 43);
      assertThat(buffer.bytes().get(6)).isZero();
      oldInts.set(24, 9);
      assertThat(oldInts.get(24)).isEqualTo(9);
      assertThat(old.length()).isEqualTo(100);
      assertThatThrownBy(() -> old.get(100)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void aBufferWithoutViewsIsFreeAtOnce() {
    try (ViBuffer buffer = new ViBuffer(100)) {
      AtomicInteger calls = new AtomicInteger();
      buffer.free(calls::incrementAndGet);
      assertThat(calls).hasValue(1);
      buffer.bytes().set(0, (byte) 1); // reusable
    }
  }

  @Test
  void freeingWaitsUntilNoViewCanBeReached() throws Exception {
    try (ViBuffer buffer = new ViBuffer(100)) {
      CountDownLatch freed = new CountDownLatch(1);
      ViInts view = buffer.ints();
      buffer.free(freed::countDown);
      assertThatThrownBy(() -> buffer.free(freed::countDown))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(buffer::bytes).isInstanceOf(IllegalStateException.class);
      for (int i = 0; i < 3; i++) {
        System.gc();
      }
      view.set(0, 5); // still in place
      assertThat(freed.getCount()).isEqualTo(1);
      assertThat(view.get(0)).isEqualTo(5);
      view = null;
      collectUntil("the callback", () -> freed.getCount() == 0);
      buffer.bytes().set(0, (byte) 1);
    }
  }

  @Test
  void freeingWaitsForTheDevice() throws Exception {
    try (VisUnderTest vis = VisUnderTest.connect(Nic.open("local"), ViAttributes.DEFAULT)) {
      ViBufferTicket in = vis.buffer(vis.server, 100);
      CountDownLatch freed = new CountDownLatch(1);
      vis.server.recvBufPost(in, 0);
      in.buffer().free(freed::countDown);
      assertThat(freed.getCount()).isEqualTo(1);
      vis.client.send(new byte[3], 0, 3);
      assertThat(vis.server.recvBufWait(VisUnderTest.LONG_MICROS)).isSameAs(in);
      assertThat(freed.getCount()).isZero();
      vis.server.recvBufPost(in, 0); // and it is used again
    }
  }

  @Test
  void aPostedBufferIsNotDetached() throws Exception {
    try (VisUnderTest vis = VisUnderTest.connect(Nic.open("local"), ViAttributes.DEFAULT)) {
      ViBufferTicket in = vis.buffer(vis.server, 100);
      vis.server.recvBufPost(in, 0);
      assertThatThrownBy(in.buffer()::detach).hasMessageContaining("device's");
    }
  }

  @Test
  void messagesAllocateNothing() throws Exception {
    try (VisUnderTest vis =
        VisUnderTest.connect(Nic.open("local"), ViAttributes.DEFAULT.withWaiting(WaitMode.SPIN))) {
      ViBufferTicket in = vis.buffer(vis.server, 4096);
      ViBufferTicket out = vis.buffer(vis.client, 4096);
      ViLongs written = out.buffer().longs();
      ViLongs read = in.buffer().longs();
      long allocated =
          AllocatedBytes.settled(
              2_000,
              () -> {
                for (int i = 0; i < 5_000; i++) {
                  written.set(0, i);
                  vis.server.recvBufPost(in, 0);
                  vis.client.sendBufPost(out, 0, (i & 1) == 0 ? 8 : 4096);
                  ViTicket _ = vis.server.recvBufWait(VisUnderTest.LONG_MICROS);
                  ViTicket _ = vis.client.sendBufWait(VisUnderTest.LONG_MICROS);
                  if (read.get(0) != i) {
                    throw new AssertionError(i + " became " + read.get(0));
                  }
                }
              });
      assertThat(allocated).isLessThanOrEqualTo(2_000);
    }
  }
}
