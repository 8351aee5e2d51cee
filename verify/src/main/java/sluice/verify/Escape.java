package sluice.verify;

import sluice.verify.value.Kind;
import sluice.verify.value.Value;

/// Which values are not handed on. Arrays are never longer than declared, since none is made that
/// is; strings grow by being put together, so a string that may be too long is not handed on.
///
/// The declared type of what it goes to is no help: the JVM lets any object pass as an interface
/// (JVMS 4.10.1.2), and a cast makes a string of it again.
final class Escape {
  private Escape() {}

  /// Refuses a value that may be longer than declared where others will rely on that.
  ///
  /// @param descriptor of the field, parameter or element it goes to
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
