package sluice.verify.value;

import org.jspecify.annotations.Nullable;

/// What is known of a number or a reference: a range, and how it was made. Immutable.
///
/// Two values with the same `id` in one state are the same at run time, so what a test says of one
/// holds for the other: value numbering, within one round of a loop.
///
/// @param id of the value at run time
/// @param low smallest; of a reference, the smallest length
/// @param high largest; of a reference, the largest length
/// @param nonZero whether the value is known not to be 0, beyond what the range says
/// @param origin how it was made, null if that is of no use
public record Value(
    int id, Kind kind, long low, long high, boolean nonZero, @Nullable Origin origin) {

  /// The operations whose operands are remembered.
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

  /// @param wraps whether the result may have left the range of its type
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

  /// Whether all that `other` may be is within this one's range.
  public boolean contains(Value other) {
    return kind == Kind.NONE || (kind == other.kind && low <= other.low && high >= other.high);
  }

  /// The same value, of which more is known. The range must not be empty.
  public Value narrowed(long newLow, long newHigh, boolean notZero) {
    return new Value(id, kind, newLow, newHigh, nonZero || notZero, origin);
  }
}
