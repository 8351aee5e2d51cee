package sluice.sys.call;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Encodes file names as C strings.
///
/// This class is stateless and thread-safe. A name that contains a NUL is rejected because the
/// kernel would silently truncate it.
public final class Paths {
  private Paths() {}

  /// Encodes a name, or returns null if it contains a NUL.
  public static @Nullable MemorySegment encode(SegmentAllocator allocator, byte[] name) {
    for (byte b : name) {
      if (b == 0) {
        return null;
      }
    }
    MemorySegment text = allocator.allocate(name.length + 1L);
    MemorySegment.copy(name, 0, text, JAVA_BYTE, 0, name.length);
    text.set(JAVA_BYTE, name.length, (byte) 0);
    return text;
  }

  public static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }
}
