package sluice.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

final class BulkCopyTest {
  private static final long[] LENGTHS = {
    0, 1, BulkCopy.LEAST_BYTES - 1, BulkCopy.LEAST_BYTES, (1 << 20) - 3, 1 << 20, (1 << 20) + 1
  };

  private static MemorySegment numbered(Arena arena, long bytes) {
    MemorySegment segment = arena.allocate(bytes);
    for (long i = 0; i < bytes; i++) {
      segment.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7 + (i >>> 8)));
    }
    return segment;
  }

  @Test
  void copiesTheseBytesAndNoOthers() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = numbered(arena, 2 << 20);
      for (long bytes : LENGTHS) {
        MemorySegment to = arena.allocate(bytes + 16);
        BulkCopy.copy(from, 5, to, 9, bytes);
        assertThat(to.asSlice(9, bytes).mismatch(from.asSlice(5, bytes))).isEqualTo(-1);
        assertThat(to.asSlice(0, 9).mismatch(arena.allocate(9))).isEqualTo(-1);
        assertThat(to.asSlice(9 + bytes).mismatch(arena.allocate(7))).isEqualTo(-1);
      }
    }
  }

  @Test
  void overlappingPartsAreCopiedAsTheyWere() {
    try (Arena arena = Arena.ofConfined()) {
      long bytes = 300 << 10;
      for (int distance : new int[] {-4099, -1, 1, 4099}) {
        MemorySegment both = numbered(arena, bytes + 10_000);
        MemorySegment before = numbered(arena, bytes + 10_000);
        BulkCopy.copy(both, 5000, both, 5000 + distance, bytes);
        assertThat(both.asSlice(5000 + distance, bytes).mismatch(before.asSlice(5000, bytes)))
            .isEqualTo(-1);
      }
    }
  }

  @Test
  void refusesWhatSegmentsRefuse() {
    Arena arena = Arena.ofShared();
    long bytes = 300 << 10;
    MemorySegment from = arena.allocate(bytes);
    try (Arena other = Arena.ofConfined()) {
      MemorySegment to = other.allocate(bytes);
      assertThatThrownBy(() -> BulkCopy.copy(from, 1, to, 0, bytes))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> BulkCopy.copy(from, 0, to, 1, bytes))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> BulkCopy.copy(from, -1, to, 0, bytes))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> BulkCopy.copy(from, 0, to.asReadOnly(), 0, bytes))
          .isInstanceOf(RuntimeException.class);
      arena.close();
      assertThatThrownBy(() -> BulkCopy.copy(from, 0, to, 0, bytes))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> BulkCopy.copy(to, 0, from, 0, bytes))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void copiesWhatIsOnTheHeapToo() {
    byte[] heap = new byte[300 << 10];
    heap[heap.length - 1] = 42;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment to = arena.allocate(heap.length);
      BulkCopy.copy(MemorySegment.ofArray(heap), 0, to, 0, heap.length);
      assertThat(to.get(ValueLayout.JAVA_BYTE, heap.length - 1)).isEqualTo((byte) 42);
    }
  }
}
