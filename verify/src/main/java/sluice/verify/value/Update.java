package sluice.verify.value;

import sluice.verify.value.Value.Origin;

/// A write to a local variable in a loop, relative to the old value of the variable.
///
/// @param block the block of the write
/// @param form the kind of operation
/// @param low the smallest step, factor, divisor or number of bits
/// @param high the largest step, factor, divisor or number of bits
/// @param wraps true if the result may have overflowed
/// @param before the old value
public record Update(int block, Form form, long low, long high, boolean wraps, Value before) {

  /// The operation that computes the new value from the old value.
  public enum Form {
    ADD,
    MULTIPLY,
    DIVIDE,
    SHIFT,
    OTHER
  }

  /// Returns the update that represents storing `after` in a variable that contains `before`.
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

  /// Returns true if the variable never decreases.
  public boolean isUpwards() {
    return !wraps
        && ((form == Form.ADD && low >= 0) || (form == Form.MULTIPLY && before.low() >= 0));
  }

  /// Returns true if the variable never increases.
  public boolean isDownwards() {
    return !wraps && form == Form.ADD && high <= 0;
  }

  /// Returns true if the variable approaches 0 or remains unchanged.
  boolean isShrinking() {
    return form == Form.DIVIDE || form == Form.SHIFT;
  }
}
