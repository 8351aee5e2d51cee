package sluice.http.parse;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// Views over test input. Owned by the thread that calls.
///
/// Every view ends exactly where the input ends, and the memory around it is poisoned, so that a
/// read past either end throws or shows in the result.
public final class Bytes {
  private static final int MARGIN = 16;

  private Bytes() {}

  public static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /// Lines with CRLF after each, and an empty one at the end.
  public static String head(String... lines) {
    return String.join("\r\n", lines) + "\r\n\r\n";
  }

  public static View view(String text) {
    return view(latin1(text));
  }

  public static View view(byte[] bytes) {
    return at(bytes, 0, bytes.length);
  }

  /// The first `length` bytes, after `skip` bytes of rubbish that the view shows too.
  static View at(byte[] bytes, int skip, int length) {
    MemorySegment segment = Arena.ofAuto().allocate(skip + length + 2L * MARGIN);
    segment.fill((byte) ':');
    MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, MARGIN + skip, length);
    return new ViewBinder(Thread.currentThread()).bind(segment, MARGIN, skip + length);
  }
}
