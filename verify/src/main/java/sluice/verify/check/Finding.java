package sluice.verify.check;

/// A use in a jar that a domain treats specially.
///
/// @param className the binary name of the class, with dots
/// @param member the method or field with its descriptor, or an empty string for the class itself
/// @param line the source line, or 0 if it is unknown
/// @param instruction the index of the instruction in the method, or -1 for a native method and for
///   the constructor of the superclass, without which no object of the class can be created
/// @param use the used member, such as `java.lang.System.exit`
/// @param rule the rule, which contains the treatment, the reason and a fix
public record Finding(
    String className, String member, int line, int instruction, String use, Rule rule) {
  /// Returns true if a domain loads the class and the use throws an exception when it is executed.
  public boolean throwsAtCall() {
    return rule.treatment() == Treatment.REFUSED && instruction >= 0;
  }

  /// Returns true if a domain refuses to load the class.
  public boolean refusesClass() {
    return rule.treatment() == Treatment.REFUSED && instruction < 0;
  }
}
