package sluice.verify.value;

import java.lang.classfile.TypeKind;
import org.jspecify.annotations.Nullable;
import sluice.verify.value.Value.Operation;
import sluice.verify.value.Value.Origin;

/// Creates values with unique numbers. Instances are used for one analysis.
public final class Values {
  private final int maxLength;
  private int next = 1;

  public Values(int maxLength) {
    this.maxLength = maxLength;
  }

  public int maxLength() {
    return maxLength;
  }

  Value of(Kind kind, long low, long high, @Nullable Origin origin) {
    return new Value(next++, kind, low, high, false, origin);
  }

  public Value range(Kind kind, long low, long high) {
    return of(kind, low, high, null);
  }

  public Value constant(Kind kind, long number) {
    return of(kind, number, number, null);
  }

  /// Returns an unknown value of the given kind.
  public Value unknown(Kind kind) {
    return of(kind, kind.low, kind.high, null);
  }

  /// Returns the value of a field, a parameter or a call. Its length is limited by the maximum that
  /// is guaranteed by the host.
  public Value promised(Kind kind) {
    return kind == Kind.REFERENCE ? of(kind, 0, maxLength, null) : unknown(kind);
  }

  /// Returns a value that was stored as the given type and is therefore within the range of this
  /// type.
  public Value stored(TypeKind type) {
    return switch (type) {
      case BOOLEAN -> range(Kind.INT, 0, 1);
      case BYTE -> range(Kind.INT, Byte.MIN_VALUE, Byte.MAX_VALUE);
      case SHORT -> range(Kind.INT, Short.MIN_VALUE, Short.MAX_VALUE);
      case CHAR -> range(Kind.INT, Character.MIN_VALUE, Character.MAX_VALUE);
      default -> promised(Kind.of(type));
    };
  }

  /// Returns the result of an operation, which records its operands.
  ///
  /// @param range the range of the result, or null if it may have overflowed
  public Value made(
      Kind kind, @Nullable Range range, Operation operation, Value left, Value right) {
    Origin origin = new Origin(operation, left, right, range == null);
    return range == null
        ? of(kind, kind.low, kind.high, origin)
        : of(kind, range.low(), range.high(), origin);
  }

  /// Returns the value at a point where two paths are joined.
  public Value join(Value a, Value b) {
    if (a == b) {
      return a;
    }
    if (a.kind() != b.kind()) {
      return unknown(Kind.NONE);
    }
    long low = Math.min(a.low(), b.low());
    long high = Math.max(a.high(), b.high());
    boolean nonZero = a.isNeverZero() && b.isNeverZero();
    boolean same = a.is(b);
    return new Value(
        same ? a.id() : next++, a.kind(), low, high, nonZero, same ? a.origin() : null);
  }
}
