package sluice.verify.check;

import java.util.Locale;

/// What a domain does with a use of the JDK.
public enum Treatment {
  /// The call throws, or the class is not loaded: [Finding#throwsAtCall].
  REFUSED,
  /// The domain gives its own instead of the JVM's.
  REDIRECTED,
  /// The domain has a copy of the JDK's classes that can be ended.
  RELOCATED,
  /// It works, and the domain's limits do not hold for it.
  NOT_ENFORCED;

  /// The name as it is printed: `not-enforced`.
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
