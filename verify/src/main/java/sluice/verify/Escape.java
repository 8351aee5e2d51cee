package sluice.verify;

import sluice.verify.value.Kind;
import sluice.verify.value.Value;

/// Checks that a string which is longer than declared does not leave a method. Arrays are never
/// longer than declared, because the creation of such an array is refused. A string can become too
/// long by concatenation. Such a string must not be stored or passed.
///
/// The declared type of the target cannot be used for this check, because the JVM accepts any
/// object as an interface type (JVMS 4.10.1.2) and the object can be cast to a string again.
final class Escape {
  private Escape() {}

  /// Throws an exception if a string that is stored or passed may be longer than declared.
  ///
  /// @param descriptor the descriptor of the target field, parameter or element
  static void check(Value value, String descriptor, Limits limits, int at) throws Refused {
    if (value.kind() == Kind.REFERENCE
        && value.high() > limits.maxLength()
        && descriptor.startsWith("L")) {
      throw new Refused(
          Reason.LENGTH,
          at,
          "a string that may be longer than " + limits.maxLength() + " characters is handed on");
    }
  }
}
