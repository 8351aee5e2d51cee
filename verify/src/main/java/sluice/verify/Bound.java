package sluice.verify;

/// The most that one call of a method does: its own bytecodes and those of its callees, where a
/// callee of the table of costs counts what the table says. Both saturate at [Long#MAX_VALUE].
///
/// @param bytecodes executed
/// @param bytes allocated on the heap
public record Bound(long bytecodes, long bytes) {
  /// No work.
  public static final Bound NONE = new Bound(0, 0);

  /// One after the other.
  Bound plus(Bound other) {
    return new Bound(add(bytecodes, other.bytecodes), add(bytes, other.bytes));
  }

  /// Either of them.
  Bound or(Bound other) {
    return new Bound(Math.max(bytecodes, other.bytecodes), Math.max(bytes, other.bytes));
  }

  /// So many times.
  Bound times(long count) {
    return new Bound(multiply(bytecodes, count), multiply(bytes, count));
  }

  /// The sum of two numbers that are not negative.
  static long add(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /// The product of two numbers that are not negative.
  static long multiply(long a, long b) {
    return a == 0 || b == 0 ? 0 : a > Long.MAX_VALUE / b ? Long.MAX_VALUE : a * b;
  }
}
