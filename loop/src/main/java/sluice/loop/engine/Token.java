package sluice.loop.engine;

/// The token of an operation. It combines operation, generation and table index in one long, so
/// that a late completion for a reused slot can be detected. Stateless; any thread may call.
///
/// ```
///  63      56 55                32 31                 0
/// +----------+--------------------+--------------------+
/// |    op    |     generation     |       index        |
/// +----------+--------------------+--------------------+
/// ```
public final class Token {
  public static final int ACCEPT = 1;
  public static final int RECEIVE = 2;
  public static final int SEND = 3;
  public static final int SEND_ALL = 4;
  public static final int WRITABLE = 5;
  public static final int POLL = 6;

  private static final int GENERATION_BITS = 24;
  private static final int GENERATION_MASK = (1 << GENERATION_BITS) - 1;

  private Token() {}

  /// Returns a token.
  ///
  /// @param op the operation, 0 to 127, as numbered by the owner of the table
  public static long of(int op, int generation, int index) {
    return ((long) op << 56)
        | ((long) (generation & GENERATION_MASK) << 32)
        | (index & 0xffff_ffffL);
  }

  /// Returns the operation.
  public static int op(long token) {
    return (int) (token >>> 56);
  }

  /// Returns the generation of the slot for which the operation was staged.
  public static int generation(long token) {
    return (int) (token >>> 32) & GENERATION_MASK;
  }

  /// Returns the index of the slot.
  public static int index(long token) {
    return (int) token;
  }

  /// Returns the generation of a slot that is assigned to a new owner.
  public static int nextGeneration(int generation) {
    return (generation + 1) & GENERATION_MASK;
  }
}
