package sluice.verify.value;

import java.lang.classfile.Opcode;
import org.jspecify.annotations.Nullable;

/// Arithmetic on ranges of `int` and `long`. An operation returns null if its result may overflow.
public record Range(long low, long high) {
  public static Range of(Value value) {
    return new Range(value.low(), value.high());
  }

  private static @Nullable Range within(Kind kind, long a, long b) {
    return a < kind.low || b > kind.high ? null : new Range(a, b);
  }

  public static @Nullable Range add(Kind kind, Value a, Value b) {
    try {
      return within(kind, Math.addExact(a.low(), b.low()), Math.addExact(a.high(), b.high()));
    } catch (ArithmeticException e) {
      return null;
    }
  }

  public static @Nullable Range subtract(Kind kind, Value a, Value b) {
    try {
      return within(
          kind, Math.subtractExact(a.low(), b.high()), Math.subtractExact(a.high(), b.low()));
    } catch (ArithmeticException e) {
      return null;
    }
  }

  public static @Nullable Range multiply(Kind kind, Value a, Value b) {
    try {
      long w = Math.multiplyExact(a.low(), b.low());
      long x = Math.multiplyExact(a.low(), b.high());
      long y = Math.multiplyExact(a.high(), b.low());
      long z = Math.multiplyExact(a.high(), b.high());
      return within(
          kind, Math.min(Math.min(w, x), Math.min(y, z)), Math.max(Math.max(w, x), Math.max(y, z)));
    } catch (ArithmeticException e) {
      return null;
    }
  }

  /// Returns the quotient if the divisor is positive, or null otherwise.
  public static @Nullable Range divide(Value a, Value b) {
    if (b.low() <= 0) {
      return null;
    }
    long low = a.low() >= 0 ? a.low() / b.high() : a.low() / b.low();
    long high = a.high() >= 0 ? a.high() / b.low() : a.high() / b.high();
    return new Range(low, high);
  }

  public static @Nullable Range remainder(Value a, Value b) {
    if (b.low() == Long.MIN_VALUE) {
      return null;
    }
    long most = Math.max(0, Math.max(Math.abs(b.low()), Math.abs(b.high())) - 1);
    long low = a.low() >= 0 ? 0 : Math.max(a.low(), -most);
    return new Range(low, a.high() <= 0 ? 0 : Math.min(a.high(), most));
  }

  public static @Nullable Range and(Value a, Value b) {
    if (a.low() < 0 && b.low() < 0) {
      return null;
    }
    long high = Long.MAX_VALUE;
    if (a.low() >= 0) {
      high = a.high();
    }
    return new Range(0, b.low() >= 0 ? Math.min(high, b.high()) : high);
  }

  /// Returns the range of a bitwise or or of an exclusive or.
  public static @Nullable Range or(Value a, Value b) {
    if (a.low() < 0 || b.low() < 0) {
      return null;
    }
    long most = Math.max(a.high(), b.high());
    return new Range(0, most == 0 ? 0 : (Long.highestOneBit(most) << 1) - 1);
  }

  public static @Nullable Range negate(Kind kind, Value a) {
    return a.low() == kind.low ? null : new Range(-a.high(), -a.low());
  }

  public static @Nullable Range shift(Kind kind, Opcode opcode, Value a, Value by) {
    if (!by.isConstant()) {
      return opcode == Opcode.ISHL || opcode == Opcode.LSHL || a.low() < 0
          ? null
          : new Range(0, a.high());
    }
    int bits = (int) by.low() & (kind.bits - 1);
    return switch (opcode) {
      case ISHL, LSHL -> shiftLeft(kind, a, bits);
      case ISHR, LSHR -> new Range(a.low() >> bits, a.high() >> bits);
      default -> shiftUnsigned(kind, a, bits);
    };
  }

  private static @Nullable Range shiftLeft(Kind kind, Value a, int bits) {
    long low = a.low() << bits;
    long high = a.high() << bits;
    boolean exact = low >> bits == a.low() && high >> bits == a.high();
    return exact ? within(kind, low, high) : null;
  }

  private static @Nullable Range shiftUnsigned(Kind kind, Value a, int bits) {
    if (a.low() >= 0 || bits == 0) {
      return new Range(a.low() >>> bits, a.high() >>> bits);
    }
    return new Range(0, (kind == Kind.INT ? 0xFFFF_FFFFL : -1L) >>> bits);
  }
}
