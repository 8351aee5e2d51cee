package sluice.loop.engine;

/// What operations are staged with: operation, generation and table index in one long, so that a
/// late completion for a reused slot is recognised. Without state: any thread may call.
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

  /// @param op what is done, 0 to 127; numbers are the owner's of the table
  public static long of(int op, int generation, int index) {
    return ((long) op << 56)
        | ((long) (generation & GENERATION_MASK) << 32)
        | (index & 0xffff_ffffL);
  }

  /// What is done.
  public static int op(long token) {
    return (int) (token >>> 56);
  }

  /// Which owner of the slot it was staged for.
  public static int generation(long token) {
    return (int) (token >>> 32) & GENERATION_MASK;
  }

  /// The slot.
  public static int index(long token) {
    return (int) token;
  }

  /// The generation of a slot that gets a new owner.
  public static int nextGeneration(int generation) {
    return (generation + 1) & GENERATION_MASK;
  }
}
