package sluice.domain.component;

/// Why a class cannot take the place of another. Immutable.
///
/// @param type the class, with dots
/// @param change what was changed
/// @param section of the Java Language Specification, chapter 13, or of the rules for portals
public record Incompatibility(String type, String change, String section) {
  @Override
  public String toString() {
    return "class " + type + ": " + change + " (" + section + ")";
  }
}
