package sluice.domain.component;

/// A location at which a component behaves differently depending on whether its callers are in the
/// same domain or in another one. Immutable.
///
/// @param type the class, with dots
/// @param line the line number, or 0 if the class file does not contain it
/// @param what the kind of difference
public record Reliance(String type, String method, int line, What what) {
  /// The ways in which references and copies differ.
  public enum What {
    /// In another domain, the change is not visible to the caller.
    MODIFIES_ARGUMENT("modifies an argument", "return what the caller is to see"),
    /// In another domain, later changes by the caller are not visible to the component.
    KEEPS_ARGUMENT("keeps an argument", "keep a copy, or pass a record"),
    /// In another domain, the caller's changes to the result are not visible to the component.
    RETURNS_STATE("returns an object that it keeps", "return a copy, or a record");

    private final String text;
    private final String fix;

    What(String text, String fix) {
      this.text = text;
      this.fix = fix;
    }
  }

  @Override
  public String toString() {
    return type
        + "."
        + method
        + (line == 0 ? "" : ", line " + line)
        + " "
        + what.text
        + ". Why: in one domain both sides have one object, apart each has its own. Fix: "
        + what.fix;
  }
}
