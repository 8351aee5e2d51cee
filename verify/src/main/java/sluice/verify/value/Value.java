package sluice.verify.value;

import org.jspecify.annotations.Nullable;

/// The knowledge about a number or a reference, which consists of its range and its origin.
/// Instances are immutable.
///
/// Two values with the same `id` in one state are equal at run time, so a condition on one of them
/// also applies to the other one. This is a form of value numbering within one round of a loop.
///
/// @param id the number of the value
/// @param kind the type
/// @param low the smallest value, or the smallest length for a reference
/// @param high the largest value, or the largest length for a reference
/// @param nonZero true if the value is known not to be 0, even if the range contains 0
/// @param origin the operation that computed the value, or null if it is not relevant
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

  /// The operation that computed a value.
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

  /// Returns true if the range of this value contains the range of `other`.
  public boolean contains(Value other) {
    return kind == Kind.NONE || (kind == other.kind && low <= other.low && high >= other.high);
  }

  /// Returns the same value with a smaller range. The range must not be empty.
  public Value narrowed(long newLow, long newHigh, boolean notZero) {
    return new Value(id, kind, newLow, newHigh, nonZero || notZero, origin);
  }
}
