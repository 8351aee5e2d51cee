package sluice.verify.value;

import org.jspecify.annotations.Nullable;

/// The knowledge about a number or a reference: its range and its origin. Immutable.
///
/// Two values with the same `id` in one state are equal at run time, so a condition on one applies
/// to the other: this is value numbering, within one round of a loop.
///
/// @param id the number of the value
/// @param kind the type
/// @param low the smallest value; for a reference the smallest length
/// @param high the largest value; for a reference the largest length
/// @param nonZero true if the value is known not to be 0, even if the range contains 0
/// @param origin the operation that made the value; null if it is of no use
public record Value(
    int id, Kind kind, long low, long high, boolean nonZero, @Nullable Origin origin) {

  /// The operations whose operands are recorded.
  public enum Operation {
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    SHIFT_RIGHT_UNSIGNED,
    WIDEN,
    COMPARE
  }

  /// The operation that made a value.
  ///
  /// @param wraps true if the result may have overflowed
  public record Origin(Operation operation, Value left, Value right, boolean wraps) {}

  public boolean isConstant() {
    return low == high && (kind == Kind.INT || kind == Kind.LONG);
  }

  public boolean isNumber() {
    return kind == Kind.INT || kind == Kind.LONG;
  }

  public boolean isNeverZero() {
    return nonZero || low > 0 || high < 0;
  }

  public boolean is(Value other) {
    return id == other.id;
  }

  /// Returns true if the range contains the range of `other`.
  public boolean contains(Value other) {
    return kind == Kind.NONE || (kind == other.kind && low <= other.low && high >= other.high);
  }

  /// Returns the same value with more knowledge about it. The range must not be empty.
  public Value narrowed(long newLow, long newHigh, boolean notZero) {
    return new Value(id, kind, newLow, newHigh, nonZero || notZero, origin);
  }
}
