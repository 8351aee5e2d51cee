package sluice.nfs.v4.wire;

import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;

/// A set of attribute numbers (`bitmap4`, RFC 8881, section 3.3.7). It can hold the numbers 0 to
/// 95. Immutable and thread-safe.
///
/// @param low the numbers 0 to 63
/// @param high the numbers 64 to 95
/// @param more true if the decoded bitmap contained higher numbers
public record Bitmap(long low, int high, boolean more) {
  /// The maximum number of words in a decoded bitmap. The protocol uses three words.
  private static final int MAX_WORDS = 8;

  public static final Bitmap NONE = new Bitmap(0, 0, false);

  public static Bitmap of(int... numbers) {
    Bitmap set = NONE;
    for (int number : numbers) {
      set = set.with(number);
    }
    return set;
  }

  public static Bitmap read(XdrReader in) {
    int words = in.length(MAX_WORDS);
    long low = words > 0 ? in.uint32() : 0;
    low |= words > 1 ? in.uint32() << 32 : 0;
    int high = words > 2 ? in.int32() : 0;
    int rest = 0;
    for (int i = 3; i < words; i++) {
      rest |= in.int32();
    }
    return new Bitmap(low, high, rest != 0);
  }

  public void write(XdrWriter out) {
    if (high != 0) {
      out.int32(3).int32((int) low).int32((int) (low >>> 32)).int32(high);
    } else if (low >>> 32 != 0) {
      out.int32(2).int32((int) low).int32((int) (low >>> 32));
    } else if (low != 0) {
      out.int32(1).int32((int) low);
    } else {
      out.int32(0);
    }
  }

  public boolean has(int number) {
    return number < 64 ? (low & 1L << number) != 0 : (high & 1 << (number - 64)) != 0;
  }

  public Bitmap with(int number) {
    return number < 64
        ? new Bitmap(low | 1L << number, high, more)
        : new Bitmap(low, high | 1 << (number - 64), more);
  }

  public Bitmap and(Bitmap other) {
    return new Bitmap(low & other.low, high & other.high, false);
  }

  public Bitmap without(Bitmap other) {
    return new Bitmap(low & ~other.low, high & ~other.high, more);
  }

  public boolean isEmpty() {
    return low == 0 && high == 0 && !more;
  }

  public boolean intersects(Bitmap other) {
    return (low & other.low) != 0 || (high & other.high) != 0;
  }
}
