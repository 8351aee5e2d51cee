package sluice.http.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import sluice.memory.View;

/// Tests on eight bytes in one `long`, the first byte lowest ("SIMD within a register").
///
/// Stateless; any thread may call. A mask has the high bit of each byte that meets the test. Masks
/// marked *lowest exact* may have stray bits above their lowest one, which is always right: use
/// them only to find the first byte. The union of such masks is again lowest exact.
public final class Swar {
  static final long ONES = 0x0101010101010101L;
  static final long HIGHS = 0x8080808080808080L;
  static final long SPACES = 0x2020202020202020L;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int CRLF = '\r' | '\n' << 8;

  private Swar() {}

  /// Returns the eight bytes from `at`, with zeros from `to` on. May read bytes before `at` in the
  /// view, but never bytes from `to` on.
  public static long word(View view, int at, int to) {
    return at <= to - Long.BYTES ? view.getLong(at) : tail(view, at, to);
  }

  private static long tail(View view, int at, int to) {
    if (at >= to) {
      return 0;
    }
    if (to >= Long.BYTES) {
      return view.getLong(to - Long.BYTES) >>> ((at - (to - Long.BYTES)) << 3);
    }
    long word = 0;
    for (int i = to - 1; i >= at; i--) {
      word = word << 8 | (view.get(i) & 0xff);
    }
    return word;
  }

  /// Returns the index, 0 to 7, of the lowest byte in a mask that is not 0.
  public static int first(long mask) {
    return Long.numberOfTrailingZeros(mask) >>> 3;
  }

  /// Returns the eight bytes from `at`, which the array must have.
  public static long word(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  /// Sets the eight bytes from `at` to zero.
  public static void clear(byte[] bytes, int at) {
    LONG.set(bytes, at, 0L);
  }

  /// Returns the byte at `index`, 0 to 7.
  public static int at(long word, int index) {
    return (int) (word >>> (index << 3)) & 0xff;
  }

  /// Returns true if CR and LF are at `index`, 0 to 6, and the byte after it.
  public static boolean crlf(long word, int index) {
    return ((int) (word >>> (index << 3)) & 0xffff) == CRLF;
  }

  /// Returns a mask of the bytes equal to `wanted`. Lowest exact.
  public static long equal(long word, int wanted) {
    long difference = word ^ (ONES * wanted);
    return (difference - ONES) & ~difference & HIGHS;
  }

  /// Returns a mask of the bytes that are not a letter, a digit, `-` or `.`. Exact.
  public static long notName(long word) {
    long low = word & ~HIGHS;
    long folded = low | SPACES;
    long letter = (folded + ONES * (0x80 - 'a')) & ~(folded + ONES * (0x80 - 'z' - 1));
    long digit = (low + ONES * (0x80 - '0')) & ~(low + ONES * (0x80 - '9' - 1));
    long dashOrDot = (low + ONES * (0x80 - '-')) & ~(low + ONES * (0x80 - '.' - 1));
    return (~(letter | digit | dashOrDot) | word) & HIGHS;
  }

  /// Returns a mask of the bytes below space, and DEL. Lowest exact.
  public static long control(long word) {
    return ((word - SPACES) & ~word & HIGHS) | equal(word, 0x7f);
  }

  /// Returns a mask of the bytes that must not occur in a request target: controls, space, DEL, all
  /// from 0x80, and `"`, `#`, `<`, `>`. Lowest exact.
  public static long notTarget(long word) {
    long blank = (word - ONES * 0x21) & ~word;
    long quoteOrHash = (word ^ (ONES * '"')) & ~ONES;
    long angle = (word ^ (ONES * '<')) & ~(ONES * 2);
    long refused = blank | word | ((quoteOrHash - ONES) & ~quoteOrHash) | ((angle - ONES) & ~angle);
    return (refused & HIGHS) | equal(word, 0x7f);
  }

  /// Folds ASCII letters to lower case. Only for words without a [#notName] byte; there, different
  /// names stay different.
  public static long fold(long word) {
    return word | SPACES;
  }

  /// Returns the first `count` bytes, 0 to 8, of a word.
  public static long keep(long word, int count) {
    return count >= Long.BYTES ? word : word & ((1L << (count << 3)) - 1);
  }

  /// Returns the word that [#word] reads from up to eight bytes of `text` at `at`.
  public static long of(String text, int at) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    long word = 0;
    for (int i = Math.min(bytes.length, at + Long.BYTES) - 1; i >= at; i--) {
      word = word << 8 | (bytes[i] & 0xff);
    }
    return word;
  }
}
