package sluice.verify;

/// An upper bound on the work of one call: the bytecodes of the method and of its callees. The cost
/// of a callee outside of the component comes from the cost table. Both numbers saturate at
/// [Long#MAX_VALUE].
///
/// @param bytecodes the number of executed bytecodes
/// @param bytes the number of bytes allocated on the heap
public record Bound(long bytecodes, long bytes) {
  /// The bound of no work.
  public static final Bound NONE = new Bound(0, 0);

  /// Returns the bound of both pieces of work together.
  Bound plus(Bound other) {
    return new Bound(add(bytecodes, other.bytecodes), add(bytes, other.bytes));
  }

  /// Returns the bound of either piece of work.
  Bound or(Bound other) {
    return new Bound(Math.max(bytecodes, other.bytecodes), Math.max(bytes, other.bytes));
  }

  /// Returns the bound of `count` repetitions.
  Bound times(long count) {
    return new Bound(multiply(bytecodes, count), multiply(bytes, count));
  }

  /// Returns the saturated sum of two non-negative numbers.
  static long add(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /// Returns the saturated product of two non-negative numbers.
  static long multiply(long a, long b) {
    return a == 0 || b == 0 ? 0 : a > Long.MAX_VALUE / b ? Long.MAX_VALUE : a * b;
  }
}
