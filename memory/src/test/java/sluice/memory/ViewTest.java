package sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class ViewTest {
  private final ViewBinder binder = new ViewBinder(Thread.currentThread());

  private static MemorySegment text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    MemorySegment segment = Arena.ofAuto().allocate(bytes.length);
    MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
    return segment;
  }

  @Test
  void showsItsRangeOnly() {
    View view = binder.bind(text("0123456789abcdef"), 4, 8);
    assertThat(view.length()).isEqualTo(8);
    assertThat(view.latin1(0, 8)).isEqualTo("456789ab");
    assertThat(view.get(7)).isEqualTo((byte) 'b');
    assertThat(view.getLong(0) & 0xff).isEqualTo('4');
    assertThat(view.startsWith("56".getBytes(StandardCharsets.US_ASCII), 1)).isTrue();
    assertThat(view.startsWith("bc".getBytes(StandardCharsets.US_ASCII), 7)).isFalse();
    for (int index : new int[] {-1, 8, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> view.get(index)).isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> view.getLong(1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.latin1(4, 9)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.latin1(5, 4)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void comparesEveryByteOfABeginning() {
    View view = binder.bind(text("..the beginning of what came"), 1, 26);
    for (int length = 0; length < 20; length++) {
      byte[] same = view.latin1(1, 1 + length).getBytes(StandardCharsets.ISO_8859_1);
      assertThat(view.startsWith(same, 1)).isTrue();
      for (int at = 0; at < length; at++) {
        byte[] other = same.clone();
        other[at] ^= 1;
        assertThat(view.startsWith(other, 1)).as("%s at %s", length, at).isFalse();
      }
    }
    assertThat(view.startsWith(new byte[26], 1)).as("longer than what came").isFalse();
  }

  @Test
  void cannotOutliveTheHandler() {
    View view = binder.bind(text("abc"), 0, 3);
    binder.unbind();
    assertThat(view.length()).isZero();
    assertThatThrownBy(() -> view.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
    byte[] target = new byte[3];
    assertThatThrownBy(() -> view.copyTo(0, target, 0, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void belongsToItsThread() throws InterruptedException {
    View view = binder.bind(text("abcdefgh"), 0, 8);
    AtomicReference<Throwable> seen = new AtomicReference<>();
    Thread other =
        Thread.ofPlatform()
            .start(() -> {
              try {
                view.getLong(0);
              } catch (RuntimeException e) {
                seen.set(e);
              }
            });
    other.join();
    assertThat(seen.get()).isInstanceOf(WrongThreadException.class);
  }

  @Test
  void findsBytesAsAPlainLoopDoes() {
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < 2000; round++) {
      byte[] bytes = new byte[random.nextInt(0, 40)];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (random.nextBoolean() ? random.nextInt(256) : random.nextInt(3));
      }
      MemorySegment segment = Arena.ofAuto().allocate(Math.max(1, bytes.length));
      MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
      View view = binder.bind(segment, 0, bytes.length);
      int from = random.nextInt(0, bytes.length + 1);
      byte wanted = (byte) (random.nextBoolean() ? random.nextInt(256) : random.nextInt(3));
      int expected = -1;
      for (int i = from; i < bytes.length && expected < 0; i++) {
        expected = bytes[i] == wanted ? i : -1;
      }
      assertThat(view.indexOf(wanted, from, bytes.length)).isEqualTo(expected);
    }
  }

  @Test
  void refusesARangeOutsideTheSegment() {
    MemorySegment segment = text("abc");
    assertThatThrownBy(() -> binder.bind(segment, 1, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> binder.bind(segment, -1, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> binder.bind(segment, Long.MAX_VALUE, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
