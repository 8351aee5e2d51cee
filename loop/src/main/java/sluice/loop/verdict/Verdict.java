package sluice.loop.verdict;

/// The reason why a handler is allowed to run on its thread. Immutable.
///
/// @param kind the means by which the handler is prevented from taking too long
/// @param bytecodes the maximum number of bytecodes executed by one run, or 0 if not verified
/// @param bytes the maximum number of bytes allocated by one run, or 0 if not verified
public record Verdict(Kind kind, long bytecodes, long bytes) {
  /// The means by which a handler is prevented from taking too long.
  public enum Kind {
    /// A verifier has determined a bound for its work.
    VERIFIED,
    /// It is code of a domain, which contains gates and runs on threads of the domain.
    TRANSLATED,
    /// It is code of the program, which is watched.
    TRUSTED
  }

  /// The verdict on a handler about which no other information is available.
  public static final Verdict TRUSTED = new Verdict(Kind.TRUSTED, 0, 0);

  /// The verdict on a handler in a domain.
  public static final Verdict TRANSLATED = new Verdict(Kind.TRANSLATED, 0, 0);

  /// Returns the verdict on a handler with a bound.
  public static Verdict verified(long bytecodes, long bytes) {
    return new Verdict(Kind.VERIFIED, bytecodes, bytes);
  }

  /// Returns the verdict as a single number, for counters. The result is the number of bytecodes of
  /// a verified handler, 0 for a trusted handler, or -1 for a translated handler. [#text] is the
  /// inverse.
  public long code() {
    return switch (kind) {
      case VERIFIED -> Math.max(1, bytecodes);
      case TRUSTED -> 0;
      case TRANSLATED -> -1;
    };
  }

  /// Returns the meaning of a [#code] as text.
  public static String text(long code) {
    if (code > 0) {
      return "verified, at most " + code + " bytecodes";
    }
    return code == 0 ? "trusted" : "translated";
  }
}
