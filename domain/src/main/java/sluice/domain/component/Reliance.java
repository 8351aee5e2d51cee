package sluice.domain.component;

/// A place where a component does not behave the same together with its callers and apart from
/// them. Immutable.
///
/// @param type the class, with dots
/// @param line 0 if the class file does not tell lines
/// @param what it does
public record Reliance(String type, String method, int line, What what) {
  /// How references and copies make a difference.
  public enum What {
    /// Apart, the caller does not see the change.
    MODIFIES_ARGUMENT("modifies an argument", "return what the caller is to see"),
    /// Apart, later changes of the caller are not seen.
    KEEPS_ARGUMENT("keeps an argument", "keep a copy, or pass a record"),
    /// Apart, the caller's changes of the result are not seen.
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
