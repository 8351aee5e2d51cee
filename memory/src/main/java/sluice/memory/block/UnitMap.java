package sluice.memory.block;

import java.util.Arrays;

/// The allocation bitmap of a region, with one bit for each unit. Adjacent free areas are merged
/// implicitly (Wilson et al., "Dynamic Storage Allocation: A Survey and Critical Review", 1995,
/// section 3.10: bitmapped fits; Golm et al., "The JX Operating System", 2002, section 2.5).
///
/// Areas are placed by address-ordered first fit. A second bitmap marks full words, and for each
/// power of two the map records a word before which no free area of that length begins. As a
/// result, full memory and holes that are too small are not searched repeatedly.
///
/// All methods must be called under the monitor of the [Region]. A search reads each word, which
/// represents 64 units, at most once.
final class UnitMap {
  private static final int BITS = Long.SIZE;
  private static final long ALL = -1L;

  private final int units;

  /// The bitmap of units. A bit is set if its unit is allocated or lies beyond the end of the
  /// region.
  private final long[] taken;

  /// The bitmap of full words. A bit is set if all bits of the corresponding word of [#taken] are
  /// set.
  private final long[] full;

  /// For each `i`, the index of a word before which no free area of at least `1 << i` units begins.
  private final int[] from;

  private int freeUnits;

  UnitMap(int units) {
    this.units = units;
    this.freeUnits = units;
    int words = (units + BITS - 1) / BITS;
    taken = new long[words];
    full = new long[(words + BITS - 1) / BITS];
    from = new int[Integer.SIZE - Integer.numberOfLeadingZeros(units)];
    if (units % BITS != 0) {
      taken[words - 1] = ALL << (units % BITS);
    }
    if (words % BITS != 0) {
      full[full.length - 1] = ALL << (words % BITS);
    }
  }

  /// Allocates the first free area that is large enough.
  ///
  /// @param count the number of units, at least 1
  /// @return the first unit of the area, or -1 if there is none
  int take(int count) {
    if (count > freeUnits) {
      return -1;
    }
    int at = find(count);
    if (at >= 0) {
      set(at, count);
      freeUnits -= count;
    }
    return at;
  }

  /// Frees the given units.
  void give(int at, int count) {
    clear(at, count);
    freeUnits += count;
    // A free area that now reaches 2^i units because of these units had fewer free units before
    // them.
    for (int i = 0; i < from.length; i++) {
      from[i] = Math.min(from[i], Math.max(0, at - (1 << i)) / BITS);
    }
  }

  /// Returns the first free area of at least `count` units, or -1 if there is none.
  private int find(int count) {
    int power = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(count);
    int least = 1 << power;
    int first = -1; // the first area of the length for which `from` is kept
    int start = 0;
    int run = 0;
    int next = from[power];
    for (int word = notFull(next); word >= 0; word = notFull(next)) {
      if (word != next) {
        run = 0;
      }
      long free = ~taken[word];
      int bit = 0;
      while (bit < BITS) {
        int skip = Long.numberOfTrailingZeros(free >>> bit);
        if (skip > 0) {
          run = 0;
          bit += skip;
          if (bit >= BITS) {
            break;
          }
        }
        int length = Math.min(Long.numberOfTrailingZeros(~(free >>> bit)), BITS - bit);
        if (run == 0) {
          start = word * BITS + bit;
        }
        run += length;
        bit += length;
        if (first < 0 && run >= least) {
          first = start;
        }
        if (run >= count) {
          from[power] = first / BITS;
          return start;
        }
      }
      next = word + 1;
    }
    from[power] = first < 0 ? taken.length : first / BITS;
    return -1;
  }

  /// Returns the first word at or after the given word that has a free unit, or -1 if there is
  /// none.
  private int notFull(int word) {
    int at = word / BITS;
    if (at >= full.length) {
      return -1;
    }
    long some = ~full[at] & (ALL << (word % BITS));
    while (some == 0) {
      if (++at == full.length) {
        return -1;
      }
      some = ~full[at];
    }
    return at * BITS + Long.numberOfTrailingZeros(some);
  }

  private void set(int at, int count) {
    int end = at + count;
    for (int word = at / BITS; word <= (end - 1) / BITS; word++) {
      long bits = bits(word, at, end);
      taken[word] |= bits;
      if (taken[word] == ALL) {
        full[word / BITS] |= 1L << (word % BITS);
      }
    }
  }

  private void clear(int at, int count) {
    int end = at + count;
    for (int word = at / BITS; word <= (end - 1) / BITS; word++) {
      long bits = bits(word, at, end);
      if ((taken[word] & bits) != bits) {
        throw new IllegalStateException("a unit of a region was given back twice");
      }
      taken[word] &= ~bits;
      full[word / BITS] &= ~(1L << (word % BITS));
    }
  }

  /// Returns the bits of the given word that represent units in the range `[at, end)`.
  private static long bits(int word, int at, int end) {
    int low = Math.max(at - word * BITS, 0);
    int high = Math.min(end - word * BITS, BITS);
    return (ALL << low) & (ALL >>> (BITS - high));
  }

  int units() {
    return units;
  }

  int freeUnits() {
    return freeUnits;
  }

  /// Returns the lengths in units of all free areas, in ascending order of their addresses.
  int[] freeAreas() {
    int[] lengths = new int[8];
    int count = 0;
    int run = 0;
    for (int unit = 0; unit <= units; unit++) {
      boolean free = unit < units && ((taken[unit / BITS] >>> (unit % BITS)) & 1) == 0;
      if (free) {
        run++;
      } else if (run > 0) {
        if (count == lengths.length) {
          lengths = Arrays.copyOf(lengths, 2 * count);
        }
        lengths[count++] = run;
        run = 0;
      }
    }
    return Arrays.copyOf(lengths, count);
  }

  /// Returns the size of the bitmaps in bytes.
  long overheadBytes() {
    return (long) (taken.length + full.length) * Long.BYTES + (long) from.length * Integer.BYTES;
  }
}
