package sluice.verify;

import sluice.verify.value.Kind;
import sluice.verify.value.Value;

/// Checks that no string longer than declared leaves a method. Arrays are never longer than
/// declared, because creating such an array is refused. Concatenation can make a string too long,
/// and such a string may not be stored or passed.
///
/// The declared type of the target does not help: the JVM accepts any object as an interface type
/// (JVMS 4.10.1.2), and a cast makes it a string again.
final class Escape {
  private Escape() {}

  /// Refuses to store or pass a string that may be longer than declared.
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
