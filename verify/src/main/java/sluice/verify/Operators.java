package sluice.verify;

import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import org.jspecify.annotations.Nullable;
import sluice.verify.value.Kind;
import sluice.verify.value.Range;
import sluice.verify.value.Value;
import sluice.verify.value.Value.Operation;
import sluice.verify.value.Values;

/// Evaluates arithmetic operations on ranges.
final class Operators {
  private final Values values;

  Operators(Values values) {
    this.values = values;
  }

  static boolean hasOneOperand(Opcode opcode) {
    return switch (opcode) {
      case INEG, LNEG, FNEG, DNEG, ARRAYLENGTH -> true;
      default -> false;
    };
  }

  /// Returns the result of an operation with one operand.
  Value unary(OperatorInstruction instruction, Value operand) {
    Kind kind = Kind.of(instruction.typeKind());
    return switch (instruction.opcode()) {
      case ARRAYLENGTH -> length(operand);
      case INEG, LNEG -> result(kind, number(kind, operand) ? Range.negate(kind, operand) : null);
      default -> values.unknown(kind);
    };
  }

  /// Returns the length of an array, which is at most the declared length.
  private Value length(Value array) {
    long most = values.maxLength();
    return array.kind() == Kind.REFERENCE
        ? values.range(Kind.INT, Math.min(array.low(), most), Math.min(array.high(), most))
        : values.range(Kind.INT, 0, most);
  }

  /// Returns the result of an operation with two operands.
  Value binary(OperatorInstruction instruction, Value a, Value b) {
    Opcode opcode = instruction.opcode();
    Kind kind = Kind.of(instruction.typeKind());
    switch (opcode) {
      case LCMP -> {
        boolean known = number(Kind.LONG, a) && number(Kind.LONG, b);
        return known
            ? values.made(Kind.INT, new Range(-1, 1), Operation.COMPARE, a, b)
            : values.range(Kind.INT, -1, 1);
      }
      case FCMPL, FCMPG, DCMPL, DCMPG -> {
        return values.range(Kind.INT, -1, 1);
      }
      default -> {}
    }
    boolean isShift =
        switch (opcode) {
          case ISHL, LSHL, ISHR, LSHR, IUSHR, LUSHR -> true;
          default -> false;
        };
    if (!number(kind, a) || !number(isShift ? Kind.INT : kind, b)) {
      return values.unknown(kind);
    }
    return switch (opcode) {
      case IADD, LADD -> values.made(kind, Range.add(kind, a, b), Operation.ADD, a, b);
      case ISUB, LSUB -> values.made(kind, Range.subtract(kind, a, b), Operation.SUBTRACT, a, b);
      case IMUL, LMUL -> values.made(kind, Range.multiply(kind, a, b), Operation.MULTIPLY, a, b);
      case IDIV, LDIV -> values.made(kind, Range.divide(a, b), Operation.DIVIDE, a, b);
      case ISHL, LSHL ->
          values.made(kind, Range.shift(kind, opcode, a, b), Operation.SHIFT_LEFT, a, b);
      case ISHR, LSHR ->
          values.made(kind, Range.shift(kind, opcode, a, b), Operation.SHIFT_RIGHT, a, b);
      case IUSHR, LUSHR ->
          values.made(kind, Range.shift(kind, opcode, a, b), Operation.SHIFT_RIGHT_UNSIGNED, a, b);
      case IREM, LREM -> result(kind, Range.remainder(a, b));
      case IAND, LAND -> result(kind, Range.and(a, b));
      case IOR, LOR, IXOR, LXOR -> result(kind, Range.or(a, b));
      default -> values.unknown(kind);
    };
  }

  private static boolean number(Kind kind, Value value) {
    return value.kind() == kind && value.isNumber();
  }

  private Value result(Kind kind, @Nullable Range range) {
    return range == null ? values.unknown(kind) : values.range(kind, range.low(), range.high());
  }

  /// Returns the result of a conversion. If the value may not fit into the target type, the result
  /// is any value of this type.
  Value convert(ConvertInstruction instruction, Value value) {
    Kind to = Kind.of(instruction.toType());
    if (!value.isNumber() || (to != Kind.INT && to != Kind.LONG)) {
      return cut(instruction.toType());
    }
    if (to == Kind.LONG) {
      return value.kind() == Kind.LONG
          ? value
          : values.made(Kind.LONG, Range.of(value), Operation.WIDEN, value, value);
    }
    Value most = cut(instruction.toType());
    boolean fits = value.low() >= most.low() && value.high() <= most.high();
    if (!fits) {
      return most;
    }
    return value.kind() == Kind.INT ? value : result(Kind.INT, Range.of(value));
  }

  private Value cut(TypeKind type) {
    Kind kind = Kind.of(type);
    return kind == Kind.INT ? values.stored(type) : values.unknown(kind);
  }
}
