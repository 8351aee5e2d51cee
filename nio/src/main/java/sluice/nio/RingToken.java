package sluice.nio;

/// What the operations of a [SelectorRing] are staged with, so that a late completion for a slot
/// with a new owner is recognised.
///
/// ```
///  63      56 55                32 31                 0
/// +----------+--------------------+--------------------+
/// |    op    |     generation     |       slot         |
/// +----------+--------------------+--------------------+
/// ```
final class RingToken {
  static final int RECEIVE = 1;
  static final int SEND = 2;
  static final int WRITABLE = 3;
  static final int ACCEPT = 4;
  static final int WAKE = 5;
  static final int OTHERS = 6;

  private static final int GENERATION_MASK = (1 << 24) - 1;

  private RingToken() {}

  static long of(int operation, int generation, int slot) {
    return ((long) operation << 56)
        | ((long) (generation & GENERATION_MASK) << 32)
        | (slot & 0xffff_ffffL);
  }

  static int operation(long token) {
    return (int) (token >>> 56);
  }

  static int generation(long token) {
    return (int) (token >>> 32) & GENERATION_MASK;
  }

  static int slot(long token) {
    return (int) token;
  }

  static int nextGeneration(int generation) {
    return (generation + 1) & GENERATION_MASK;
  }
}
