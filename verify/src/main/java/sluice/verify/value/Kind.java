package sluice.verify.value;

import java.lang.classfile.TypeKind;

/// The type of a slot of a frame.
public enum Kind {
  INT(Integer.MIN_VALUE, Integer.MAX_VALUE, 32),
  LONG(Long.MIN_VALUE, Long.MAX_VALUE, 64),
  FLOAT(0, 0, 0),
  DOUBLE(0, 0, 0),
  /// A reference, whose range is the range of the object's length.
  REFERENCE(0, Long.MAX_VALUE, 0),
  /// An unreadable slot.
  NONE(0, 0, 0);

  public final long low;
  public final long high;
  public final int bits;

  Kind(long low, long high, int bits) {
    this.low = low;
    this.high = high;
    this.bits = bits;
  }

  public static Kind of(TypeKind type) {
    return switch (type) {
      case LONG -> LONG;
      case FLOAT -> FLOAT;
      case DOUBLE -> DOUBLE;
      case REFERENCE -> REFERENCE;
      case VOID -> NONE;
      default -> INT;
    };
  }

  public boolean isWide() {
    return this == LONG || this == DOUBLE;
  }
}
