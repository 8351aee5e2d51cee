package sluice.verify.value;

import java.lang.classfile.TypeKind;

/// What a slot of a frame holds.
public enum Kind {
  INT(Integer.MIN_VALUE, Integer.MAX_VALUE, 32),
  LONG(Long.MIN_VALUE, Long.MAX_VALUE, 64),
  FLOAT(0, 0, 0),
  DOUBLE(0, 0, 0),
  /// The range is that of the length of what is referred to.
  REFERENCE(0, Long.MAX_VALUE, 0),
  /// Nothing that may be read.
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
