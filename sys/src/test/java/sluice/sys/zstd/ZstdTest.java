package sluice.sys.zstd;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.sys.Errno;

final class ZstdTest {
  @BeforeEach
  void library() {
    assumeTrue(Zstd.why().isEmpty(), Zstd.why());
  }

  private static MemorySegment text(Arena arena, int length) {
    MemorySegment plain = arena.allocate(length);
    Random random = new Random(length);
    for (int i = 0; i < length; i++) {
      plain.set(JAVA_BYTE, i, (byte) ('a' + random.nextInt(8)));
    }
    return plain;
  }

  /// Decompresses with the same library.
  private static long unpack(MemorySegment packed, MemorySegment into) throws Throwable {
    MethodHandle decompress =
        Linker.nativeLinker()
            .downcallHandle(
                SymbolLookup.libraryLookup("libzstd.so.1", Arena.global())
                    .findOrThrow("ZSTD_decompress"),
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    return (long)
        decompress.invokeExact(
            into.address(), into.byteSize(), packed.address(), packed.byteSize());
  }

  @Test
  void unpacksToTheSame() throws Throwable {
    for (int length : new int[] {256, 4_096, 100_000, 1 << 20}) {
      for (int level : new int[] {1, 3, Zstd.MOST_LEVEL}) {
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment plain = text(arena, length);
          MemorySegment packed = arena.allocate(length);
          long count = Zstd.compress(plain, packed, level);
          assertThat(count).isBetween(20L, length - length / 4L);
          MemorySegment again = arena.allocate(length);
          assertThat(unpack(packed.asSlice(0, count), again)).isEqualTo(length);
          assertThat(again.mismatch(plain)).isEqualTo(-1);
        }
      }
    }
  }

  @Test
  void whatDoesNotFitIsAnError() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment plain = text(arena, 10_000);
      assertThat(Zstd.compress(plain, arena.allocate(100), 3)).isEqualTo(-Errno.ENOSPC);
    }
  }

  @Test
  void memoryOfTheHeapIsRefused() {
    assertThatThrownBy(
            () -> Zstd.compress(MemorySegment.ofArray(new byte[9]), MemorySegment.NULL, 3))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
