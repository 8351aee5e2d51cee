package sluice.verify;

import java.lang.classfile.Opcode;
import sluice.verify.value.Kind;
import sluice.verify.value.Value;
import sluice.verify.value.Value.Operation;
import sluice.verify.value.Value.Origin;
import sluice.verify.value.Values;

/// Derives the ranges of the compared values for both branches of a condition.
final class Conditions {
  /// The maximum depth to which the operands of operands are considered.
  private static final int DEPTH = 3;

  private enum Relation {
    EQUAL,
    NOT_EQUAL,
    LESS,
    AT_LEAST,
    GREATER,
    AT_MOST;

    Relation negated() {
      return switch (this) {
        case EQUAL -> NOT_EQUAL;
        case NOT_EQUAL -> EQUAL;
        case LESS -> AT_LEAST;
        case AT_LEAST -> LESS;
        case GREATER -> AT_MOST;
        case AT_MOST -> GREATER;
      };
    }
  }

  private final Values values;

  Conditions(Values values) {
    this.values = values;
  }

  /// Returns true if the branch compares two numbers, or a number with 0.
  static boolean isNumeric(Opcode opcode) {
    return switch (opcode) {
      case IFEQ, IFNE, IFLT, IFGE, IFGT, IFLE -> true;
      default -> isOfTwo(opcode);
    };
  }

  static boolean isOfTwo(Opcode opcode) {
    return switch (opcode) {
      case IF_ICMPEQ, IF_ICMPNE, IF_ICMPLT, IF_ICMPGE, IF_ICMPGT, IF_ICMPLE -> true;
      default -> false;
    };
  }

  /// Narrows the ranges after a branch.
  ///
  /// @param right the second operand, which is 0 for a comparison with 0
  /// @param taken true if the branch is taken
  /// @return false if this branch is impossible
  boolean learn(State state, Opcode opcode, Value left, Value right, boolean taken) {
    Relation relation = relation(opcode);
    if (!taken) {
      relation = relation.negated();
    }
    Origin origin = left.origin();
    if (!isOfTwo(opcode) && origin != null && origin.operation() == Operation.COMPARE) {
      return learn(state, relation, origin.left(), origin.right());
    }
    return learn(state, relation, left, right);
  }

  private static Relation relation(Opcode opcode) {
    return switch (opcode) {
      case IFEQ, IF_ICMPEQ -> Relation.EQUAL;
      case IFNE, IF_ICMPNE -> Relation.NOT_EQUAL;
      case IFLT, IF_ICMPLT -> Relation.LESS;
      case IFGE, IF_ICMPGE -> Relation.AT_LEAST;
      case IFGT, IF_ICMPGT -> Relation.GREATER;
      default -> Relation.AT_MOST;
    };
  }

  private boolean learn(State state, Relation relation, Value a, Value b) {
    if (!a.isNumber() || a.kind() != b.kind()) {
      return true;
    }
    return switch (relation) {
      case LESS -> less(state, a, b, 1);
      case AT_MOST -> less(state, a, b, 0);
      case GREATER -> less(state, b, a, 1);
      case AT_LEAST -> less(state, b, a, 0);
      case EQUAL -> {
        long low = Math.max(a.low(), b.low());
        long high = Math.min(a.high(), b.high());
        yield low <= high
            && within(state, a, low, high, false, DEPTH)
            && within(state, b, low, high, false, DEPTH);
      }
      case NOT_EQUAL -> differs(state, a, b) && differs(state, b, a);
    };
  }

  /// Applies the relation `a + gap <= b` to the ranges of both values.
  private boolean less(State state, Value a, Value b, int gap) {
    if (gap > 0 && (b.high() == Long.MIN_VALUE || a.low() == Long.MAX_VALUE)) {
      return false;
    }
    return within(state, a, a.kind().low, b.high() - gap, false, DEPTH)
        && within(state, b, a.low() + gap, b.kind().high, false, DEPTH);
  }

  private boolean differs(State state, Value a, Value b) {
    if (!b.isConstant()) {
      return true;
    }
    long other = b.low();
    if (a.isConstant() && a.low() == other) {
      return false;
    }
    long low = a.low() == other ? other + 1 : a.low();
    long high = a.high() == other ? other - 1 : a.high();
    return within(state, a, low, high, other == 0, DEPTH);
  }

  /// Narrows the range of a value and of its operands.
  ///
  /// @return false if the value cannot be within this range
  boolean within(State state, Value value, long low, long high, boolean nonZero, int depth) {
    if (!state.narrow(value, low, high, nonZero)) {
      return false;
    }
    Origin origin = value.origin();
    if (origin == null || origin.wraps() || depth == 0) {
      return true;
    }
    Value left = origin.left();
    Value right = origin.right();
    return switch (origin.operation()) {
      case WIDEN ->
          low <= Integer.MAX_VALUE
              && high >= Integer.MIN_VALUE
              && within(state, left, low, high, nonZero, depth - 1);
      case ADD ->
          (!isNegatable(right) || shifted(state, left, low, high, -right.low(), depth))
              && (!isNegatable(left) || shifted(state, right, low, high, -left.low(), depth));
      case SUBTRACT -> !right.isConstant() || shifted(state, left, low, high, right.low(), depth);
      default -> true;
    };
  }

  /// Returns true if the value is a constant whose negation fits into a `long`.
  private static boolean isNegatable(Value value) {
    return value.isConstant() && value.low() != Long.MIN_VALUE;
  }

  private boolean shifted(State state, Value value, long low, long high, long by, int depth) {
    long newLow = low == Long.MIN_VALUE ? low : saturated(low, by);
    long newHigh = high == Long.MAX_VALUE ? high : saturated(high, by);
    return within(state, value, newLow, newHigh, false, depth - 1);
  }

  private static long saturated(long a, long b) {
    long sum = a + b;
    boolean overflow = ((a ^ sum) & (b ^ sum)) < 0;
    return overflow ? (a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
  }

  /// Returns a new constant zero.
  Value zero() {
    return values.constant(Kind.INT, 0);
  }
}
