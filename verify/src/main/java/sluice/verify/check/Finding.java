package sluice.verify.check;

/// A use in a jar that a domain treats specially.
///
/// @param className the binary name of the class, with dots
/// @param member the method or field with its descriptor; empty for the class itself
/// @param line the source line; 0 if unknown
/// @param instruction the index of the instruction in the method; -1 for a native method, or for
///   the constructor of the superclass, without which the class has no objects
/// @param use the used member, such as `java.lang.System.exit`
/// @param rule the rule with treatment, reason and fix
public record Finding(
    String className, String member, int line, int instruction, String use, Rule rule) {
  /// Returns true if a domain loads the class and the use throws when it is executed.
  public boolean throwsAtCall() {
    return rule.treatment() == Treatment.REFUSED && instruction >= 0;
  }

  /// Returns true if a domain refuses to load the class.
  public boolean refusesClass() {
    return rule.treatment() == Treatment.REFUSED && instruction < 0;
  }
}
