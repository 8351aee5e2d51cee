package sluice.verify;

import java.util.Set;
import sluice.verify.value.Kind;
import sluice.verify.value.Value;

/// Which types can hold a string. Arrays are never longer than declared, since none is made that
/// is; strings grow by being put together, so a string that may be too long is not handed on.
final class Escape {
  private static final Set<String> OF_STRING =
      Set.of(
          "Ljava/lang/String;",
          "Ljava/lang/Object;",
          "Ljava/lang/CharSequence;",
          "Ljava/lang/Comparable;",
          "Ljava/io/Serializable;",
          "Ljava/lang/constant/Constable;",
          "Ljava/lang/constant/ConstantDesc;");

  private Escape() {}

  /// Refuses a value that may be longer than declared where others will rely on that.
  ///
  /// @param descriptor of the field, parameter or element it goes to
  static void check(Value value, String descriptor, Limits limits, int at) throws Refused {
    if (value.kind() == Kind.REFERENCE
        && value.high() > limits.maxLength()
        && OF_STRING.contains(descriptor)) {
      throw new Refused(
          Reason.LENGTH,
          at,
          "a string that may be longer than " + limits.maxLength() + " characters is handed on");
    }
  }
}
