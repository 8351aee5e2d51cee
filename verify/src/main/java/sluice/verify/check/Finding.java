package sluice.verify.check;

/// One place in a jar that a domain treats differently.
///
/// @param className binary name, with dots
/// @param member the method or field it is in, with descriptor; empty for the class itself
/// @param line of the source, 0 if unknown
/// @param instruction which instruction of the method makes the call, counted from 0; -1 where no
///   call is made: a native method, or the constructor of a superclass, without which there are no
///   objects of the class
/// @param use what is used there: `java.lang.System.exit`
/// @param rule what the domain does, why, and the fix
public record Finding(
    String className, String member, int line, int instruction, String use, Rule rule) {
  /// Whether a domain loads the class, and a call, a field or a reference there throws.
  public boolean throwsAtCall() {
    return rule.treatment() == Treatment.REFUSED && instruction >= 0;
  }

  /// Whether a domain does not load the class.
  public boolean refusesClass() {
    return rule.treatment() == Treatment.REFUSED && instruction < 0;
  }
}
