package sluice.loop.verdict;

/// The reason why a handler may run where it runs. Immutable.
///
/// @param kind the means that keep it from taking too long
/// @param bytecodes the most that one run executes; 0 unless verified
/// @param bytes the most that one run allocates; 0 unless verified
public record Verdict(Kind kind, long bytecodes, long bytes) {
  /// The means that keep a handler from taking too long.
  public enum Kind {
    /// A verifier has found a bound for its work.
    VERIFIED,
    /// It is code of a domain, which has gates and runs on threads of the domain.
    TRANSLATED,
    /// It is code of the program, which is watched.
    TRUSTED
  }

  /// The verdict on a handler of which nothing else is known.
  public static final Verdict TRUSTED = new Verdict(Kind.TRUSTED, 0, 0);

  /// The verdict on a handler in a domain.
  public static final Verdict TRANSLATED = new Verdict(Kind.TRANSLATED, 0, 0);

  /// Returns the verdict on a handler with a bound.
  public static Verdict verified(long bytecodes, long bytes) {
    return new Verdict(Kind.VERIFIED, bytecodes, bytes);
  }

  /// Returns the verdict as one number, for counters: the bytecodes of a verified handler, 0 for a
  /// trusted one, -1 for a translated one. [#text] is the inverse.
  public long code() {
    return switch (kind) {
      case VERIFIED -> Math.max(1, bytecodes);
      case TRUSTED -> 0;
      case TRANSLATED -> -1;
    };
  }

  /// Returns the meaning of a [#code], in words.
  public static String text(long code) {
    if (code > 0) {
      return "verified, at most " + code + " bytecodes";
    }
    return code == 0 ? "trusted" : "translated";
  }
}
