package sluice.verify;

/// An upper bound on the work of one call, including the work of the callees. The cost of a callee
/// outside of the component is taken from the cost table. Both numbers saturate at
/// [Long#MAX_VALUE].
///
/// @param bytecodes the number of executed bytecodes
/// @param bytes the number of bytes allocated on the heap
public record Bound(long bytecodes, long bytes) {
  /// The bound of a call that does not perform any work.
  public static final Bound NONE = new Bound(0, 0);

  /// Returns the bound of performing the work of both bounds.
  Bound plus(Bound other) {
    return new Bound(add(bytecodes, other.bytecodes), add(bytes, other.bytes));
  }

  /// Returns the bound of performing the work of either of the bounds.
  Bound or(Bound other) {
    return new Bound(Math.max(bytecodes, other.bytecodes), Math.max(bytes, other.bytes));
  }

  /// Returns the bound of repeating the work `count` times.
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
