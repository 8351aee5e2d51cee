package sluice.verify.value;

import sluice.verify.value.Value.Origin;

/// One write to a local variable inside a loop, in terms of what the variable held before.
///
/// @param block that the write is in
/// @param low least change: the step of an addition, the factor, the divisor or the bits of a shift
/// @param high greatest change
/// @param wraps whether the result may have left the range of its type
/// @param before what the variable held
public record Update(int block, Form form, long low, long high, boolean wraps, Value before) {

  /// How the new value comes from the old one.
  public enum Form {
    ADD,
    MULTIPLY,
    DIVIDE,
    SHIFT,
    OTHER
  }

  /// What storing `after` into a variable that holds `before` does.
  public static Update of(int block, Value before, Value after) {
    if (before.is(after)) {
      return new Update(block, Form.ADD, 0, 0, false, before);
    }
    Origin origin = after.origin();
    if (origin == null || before.kind() != after.kind() || !before.isNumber()) {
      return other(block, before);
    }
    Value left = origin.left();
    Value right = origin.right();
    boolean ofLeft = left.is(before);
    boolean wraps = origin.wraps();
    switch (origin.operation()) {
      case ADD -> {
        if (ofLeft || right.is(before)) {
          Value step = ofLeft ? right : left;
          return new Update(block, Form.ADD, step.low(), step.high(), wraps, before);
        }
      }
      case SUBTRACT -> {
        if (ofLeft && right.low() > -Long.MAX_VALUE) {
          return new Update(block, Form.ADD, -right.high(), -right.low(), wraps, before);
        }
      }
      case MULTIPLY -> {
        Value factor = ofLeft ? right : left;
        if ((ofLeft || right.is(before)) && factor.low() >= 1) {
          return new Update(block, Form.MULTIPLY, factor.low(), factor.high(), wraps, before);
        }
      }
      case SHIFT_LEFT, SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED -> {
        if (ofLeft && right.isConstant()) {
          return shift(block, origin, before, (int) right.low() & (before.kind().bits - 1));
        }
      }
      case DIVIDE -> {
        if (ofLeft && right.low() >= 2) {
          return new Update(block, Form.DIVIDE, right.low(), right.high(), false, before);
        }
      }
      default -> {}
    }
    return other(block, before);
  }

  private static Update shift(int block, Origin origin, Value before, int bits) {
    return switch (origin.operation()) {
      case SHIFT_LEFT ->
          bits > 0 && bits < before.kind().bits - 1
              ? new Update(block, Form.MULTIPLY, 1L << bits, 1L << bits, origin.wraps(), before)
              : other(block, before);
      case SHIFT_RIGHT ->
          before.low() >= 0
              ? new Update(block, Form.SHIFT, bits, bits, false, before)
              : other(block, before);
      default -> new Update(block, Form.SHIFT, bits, bits, false, before);
    };
  }

  private static Update other(int block, Value before) {
    return new Update(block, Form.OTHER, 0, 0, false, before);
  }

  /// Whether the variable is never less afterwards.
  public boolean isUpwards() {
    return !wraps
        && ((form == Form.ADD && low >= 0) || (form == Form.MULTIPLY && before.low() >= 0));
  }

  /// Whether the variable is never greater afterwards.
  public boolean isDownwards() {
    return !wraps && form == Form.ADD && high <= 0;
  }

  /// Whether the variable comes nearer to 0, or stays.
  boolean isShrinking() {
    return form == Form.DIVIDE || form == Form.SHIFT;
  }
}
