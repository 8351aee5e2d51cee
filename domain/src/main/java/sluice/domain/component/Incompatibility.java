package sluice.domain.component;

/// A reason why a class cannot replace another one. Immutable.
///
/// @param type the class, with dots
/// @param change the change
/// @param section the section of the Java Language Specification, chapter 13, or of the rules for
///   portals
public record Incompatibility(String type, String change, String section) {
  @Override
  public String toString() {
    return "class " + type + ": " + change + " (" + section + ")";
  }
}
