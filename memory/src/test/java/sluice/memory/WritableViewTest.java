package sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class WritableViewTest {
  private final WritableViewBinder binder = new WritableViewBinder(Thread.currentThread());
  private final MemorySegment memory = Arena.ofAuto().allocate(32);

  @Test
  void writesItsRangeOnly() {
    WritableView view = binder.bind(memory, 8, 16);
    assertThat(view.length()).isEqualTo(16);
    view.fill(0, 16, (byte) 1);
    view.set(0, (byte) 2);
    view.setInt(4, 0x03040506);
    view.setLong(8, 0x0708090a0b0c0d0eL);
    view.copyFrom(new byte[] {9, 8, 7}, 1, 2, 2);
    byte[] found = memory.toArray(ValueLayout.JAVA_BYTE);
    assertThat(found)
        .containsExactly(
            0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 8, 7, 6, 5, 4, 3, 14, 13, 12, 11, 10, 9, 8, 7, 0, 0, 0, 0,
            0, 0, 0, 0);
    for (int index : new int[] {-1, 16, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> view.set(index, (byte) 5))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> view.copyFrom(new byte[2], 0, index, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> view.setLong(9, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.setInt(13, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.fill(3, 17, (byte) 5))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.fill(3, 2, (byte) 5))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(found);
  }

  @Test
  void isReadThroughAViewThatEndsWithIt() {
    WritableView view = binder.bind(memory, 4, 8);
    View reader = view.view();
    view.setLong(0, 5);
    assertThat(reader.getLong(0)).isEqualTo(5);
    assertThat(reader.length()).isEqualTo(8);
    binder.unbind();
    assertThat(reader.length()).isZero();
    assertThatThrownBy(() -> reader.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void writesNothingAfterTheHandlerHasReturned() {
    WritableView view = binder.bind(memory, 0, 32);
    binder.unbind();
    assertThat(view.length()).isZero();
    assertThatThrownBy(() -> view.set(0, (byte) 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.fill(0, 1, (byte) 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
  }

  @Test
  void readOnlyMemoryIsRefusedAndTheOldRangeStays() {
    WritableView view = binder.bind(memory, 0, 4);
    assertThatThrownBy(() -> binder.bind(memory.asReadOnly(), 0, 32))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> binder.bind(memory, 30, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(view.length()).isEqualTo(4);
    view.set(3, (byte) 1);
    assertThat(memory.get(ValueLayout.JAVA_BYTE, 3)).isEqualTo((byte) 1);
  }

  @Test
  void copiesWhatAnotherViewShows() {
    ViewBinder source = new ViewBinder(Thread.currentThread());
    byte[] bytes = {1, 2, 3, 4};
    View from = source.bind(Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, bytes), 0, 4);
    WritableView view = binder.bind(memory, 0, 4);
    view.copyFrom(from, 1, 0, 3);
    assertThat(view.view().getInt(0)).isEqualTo(0x00040302);
    assertThatThrownBy(() -> view.copyFrom(from, 0, 2, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.copyFrom(from, 3, 0, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void belongsToOneThread() throws InterruptedException {
    WritableView view = binder.bind(memory, 0, 4);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread other = new Thread(() -> view.set(0, (byte) 1));
    other.setUncaughtExceptionHandler((dead, thrown) -> failure.set(thrown));
    other.start();
    other.join();
    assertThat(failure.get()).isInstanceOf(WrongThreadException.class);
    assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isZero();
  }
}
