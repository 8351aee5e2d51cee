package sluice.loop;

/// What the loop stages its operations with: operation, generation and table index in one long, so
/// that a late completion for a reused slot is recognised.
///
/// ```
///  63      56 55                32 31                 0
/// +----------+--------------------+--------------------+
/// |    op    |     generation     |       index        |
/// +----------+--------------------+--------------------+
/// ```
final class Token {
  static final int ACCEPT = 1;
  static final int RECEIVE = 2;
  static final int SEND = 3;
  static final int SEND_ALL = 4;
  static final int WRITABLE = 5;
  static final int POLL = 6;
  static final int CONNECT = 7;

  private static final int GENERATION_BITS = 24;
  private static final int GENERATION_MASK = (1 << GENERATION_BITS) - 1;

  private Token() {}

  static long of(int op, int generation, int index) {
    return ((long) op << 56)
        | ((long) (generation & GENERATION_MASK) << 32)
        | (index & 0xffff_ffffL);
  }

  static int op(long token) {
    return (int) (token >>> 56);
  }

  static int generation(long token) {
    return (int) (token >>> 32) & GENERATION_MASK;
  }

  static int index(long token) {
    return (int) token;
  }

  static int nextGeneration(int generation) {
    return (generation + 1) & GENERATION_MASK;
  }
}
